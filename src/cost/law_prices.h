// Prices of ops by the laws of a device.
#pragma once

#include <optional>

#include "cost/attention_kernels.h"
#include "cost/hardware.h"
#include "foreflow/cost/cost.h"
#include "foreflow/cost/device_calibration.h"

namespace foreflow::cost {

// The calibrations that a device may take laws from, the nearest first.
using Calibrations = std::vector<const DeviceCalibration*>;

// The terms that a framework adds to the laws.
struct LawTerms {
  // Added to the time that a law gives each kernel: the gap between kernels that are launched one by one.
  Seconds kernel_overhead{0};
  Bytes optimizer_bytes{0};  // for each parameter; 0: those of the operands and results
  Bytes gradient_bytes{0};   // for each gradient that is held for a parameter, besides
  Bytes reduced_bytes{0};    // for each gradient of a bucket, each time before it is summed over replicas
  Bytes gathered_bytes{0};   // for each weight of a unit, each time when it has been gathered from the replicas
  Bytes loss_bytes{0};       // for each logit, forward and backward together; 0: as above
  // For each element in 16 bits, where an op is a chain of kernels (ir::Chain); 0: as above.
  Bytes norm_bytes{0};                          // of what an RMSNorm normalises
  Bytes norm_gradient_bytes{0};                 // of its gradient
  Bytes rotary_bytes{0};                        // of what is turned, and of what is turned back
  const AttentionKernels* attention = nullptr;  // null: those that were measured
  bool tf32                         = false;    // products in f32 run on the units of TF32
  Bytes score_bytes{0};  // for each score by the backward pass of unfused attention, beside those of the ops
};

// The sum over the kernels of the op. Nothing where no calibration has a law for it: products of a data type that was
// not measured, ops that launch no kernel.
//   1. Products by the law of their data type; bf16 stands for f16 and the reverse, which take the same units.
//   2. Attention by its laws. A backward pass that was not measured does 2.5 times the arithmetic of the forward pass,
//      at kBackward of its rate.
//   3. Everything else by its traffic, without what stays on the chip (Application::kept).
//      Chains of kernels by what they read and write, none of which stays on the chip.
//   4. PackTuple and UnpackTuple of whole tensors by what the framework moves on the device beside the collective.
// Laws "in training" come first: kernels called as frameworks for training do, at the clocks of long runs.
// A product in fp8 takes the law of its bytes, a kernel that converts an operand, and the shortest kernel for each that
// updates scales (ir::kFp8Updates). In inference the law is without the launches of conversions that were measured.
std::optional<Seconds> price_by_laws(const Application& application, const platform::Device& device,
                                     const Calibrations& calibrations, const LawTerms& terms);

}  // namespace foreflow::cost
