// The residual stream of a family in training: the sum of what all layers before have added.
#pragma once

#include "foreflow/workload/workload.h"
#include "workload/network.h"

namespace foreflow::workload {

// With a wide stream its values are Float32 and everything else is of the network's type, as under torch.autocast,
// whose embeddings are Float32, or with --fp32-residual-connection of Megatron-LM:
//
//   embedded -> Cast -> + ---------------------> + -> ...      Float32
//                       |                        |
//                       Cast -> norm -> layer -> Cast
//
// Otherwise the functions convert nothing.
class Residual {
 public:
  explicit Residual(bool wide) : wide_(wide) {}

  Value begun(Network& net, Value embedded) const;
  Value read(Network& net, Value x) const;  // what a layer's norm reads
  Value added(Network& net, Value x, Value layer, const std::string& name = "") const;

 private:
  Value converted(Network& net, Value x, ir::DType dtype) const;

  bool wide_;
};

// Key `fp32_residual`: false unless stated. Throws Error where it is true in inference or for a type that is not
// narrower than Float32.
bool read_fp32_residual(const FilledValues& values, const Request& request);
Key fp32_residual_key();

}  // namespace foreflow::workload
