// Windows made of cosines, as the signal ops of opset 17 define them.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// size -> w[n] = a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N), N = size where `periodic`, else size - 1.
struct CosineSum {
  double a0, a1, a2;
};

// 0 .. size - 1 -> the numbers of the window; `output_datatype` names their type.
std::vector<Type> infer_window(const OpCall& call);
std::vector<Array> eval_window(const OpCall& call, const CosineSum& sum);
Factors window_factors(const OpCall& call);
Work window_work(const OpCall& call, std::span<const Type> outputs);
std::vector<Sample> window_samples();

template <const CosineSum& kSum>
OpDef window_row(std::string_view name, std::string_view doc) {
  return {
      .name    = name,
      .doc     = doc,
      .infer   = infer_window,
      .factors = window_factors,
      .work    = window_work,
      .eval    = [](const OpCall& call) { return eval_window(call, kSum); },
      .samples = window_samples,
  };
}

// The attribute `output_datatype`; Float32 when absent.
DType output_datatype(const OpCall& call);

}  // namespace foreflow::ops
