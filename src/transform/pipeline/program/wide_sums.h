// Terms of a gradient that stages on several devices make (of a tied embedding), where the optimizer takes their sum in
// a wider type.
#pragma once

#include <optional>
#include <vector>

#include "transform/pipeline/cuts/stages.h"

namespace foreflow::transform {

class StageDevices;

struct WideSums {
  // Per value that is summed over microbatches: the type in which its stage adds it up, if that is not its own.
  std::vector<std::optional<ir::DType>> types;
  std::vector<bool> done;  // per op: a Cast of a sum that has its type already
};

// Megatron-LM adds the gradients of a microbatch to a buffer in Float32 on each of these stages, and sums the buffers:
//
//   %dw = Add(%dw1, %dw2)              %dw1 on the first, %dw2 on the last stage: both are converted and then added up
//   %wide = Cast[to = "Float32"](%dw)  nothing is left to do
//
// Terms of stages on one device stay as they are: two narrow sums need the memory of a wide one. `summed`: per value,
// whether it is summed over microbatches.
WideSums wide_sums(const ir::Function& function, const std::vector<StagedOp>& staged, const std::vector<bool>& summed,
                   const StageDevices& devices);

}  // namespace foreflow::transform
