// DepthToSpace and SpaceToDepth: blocks of `blocksize` x `blocksize` pixels of one channel, as that many channels of
// one pixel. Each is a reshape to six dimensions, a transpose and a reshape.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// The three steps: x.reshaped(split), its axes in the order `order`, reshaped to `result`.
struct Blocks {
  Dims split;
  std::vector<int64_t> order;
  Dims result;
};

// x[n,c,h,w] must have four dimensions, of which `call` may not know some; fails where they do not divide.
Blocks depth_to_space_of(const OpCall& call, const Dims& x);
Blocks space_to_depth_of(const OpCall& call, const Dims& x);

// The op whose steps are kSteps.
using Steps = Blocks (*)(const OpCall& call, const Dims& x);
std::vector<Type> infer_blocks(const OpCall& call, Steps steps);
std::vector<Array> eval_blocks(const OpCall& call, Steps steps);
void grad_blocks(GradBuilder& builder, Steps steps);  // the steps backwards
Factors block_factors(const OpCall& call);            // images

template <Steps kSteps>
OpDef block_op(std::string_view name, std::string_view doc) {
  return {
      .name          = name,
      .doc           = doc,
      .role          = Role::view,
      .additive      = true,
      .whole_because = "it moves pixels across that dimension",
      .infer         = [](const OpCall& call) { return infer_blocks(call, kSteps); },
      .factors       = block_factors,
      .eval          = [](const OpCall& call) { return eval_blocks(call, kSteps); },
      .grad          = [](GradBuilder& builder) { grad_blocks(builder, kSteps); },
  };
}

}  // namespace foreflow::ops
