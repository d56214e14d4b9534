#include "ops/common/work.h"

namespace foreflow::ops {

Work moves(const OpCall& call, std::span<const Type> outputs, int kernels) {
  return computes(call, outputs, 0, kernels);
}

Work moves_unless_placed(const OpCall& call, std::span<const Type> outputs) {
  return call.attributes.int_or("placed", 0) == 1 ? nothing(call, outputs) : moves(call, outputs);
}

Work computes(const OpCall& call, std::span<const Type> outputs, double flops, int kernels) {
  Work work{.flops = Flops(flops), .read = {}, .written = {}, .kernels = kernels};
  for (const Type& input : call.inputs) work.read += bytes_of(input);
  for (const Type& output : outputs) work.written += bytes_of(output);
  return work;
}

Work nothing(const OpCall&, std::span<const Type>) { return {.flops = {}, .read = {}, .written = {}, .kernels = 0}; }

Work copies_outputs(const OpCall&, std::span<const Type> outputs) {
  Work work;
  for (const Type& output : outputs) work.written += bytes_of(output);
  work.read = work.written;
  return work;
}

Work copies_by_index(const OpCall& call, std::span<const Type> outputs) {
  Work work = copies_outputs(call, outputs);
  work.read += bytes_of(call.inputs[1]);
  return work;
}

double count_of(const Type& type) {
  if (type.is_tuple()) {
    double sum = 0;
    for (const Type& element : type.elements) sum += count_of(element);
    return sum;
  }
  if (type.kind == Type::Kind::scalar) return 1;
  return has_dims(type) ? static_cast<double>(element_count(type.dims)) : 0;
}

}  // namespace foreflow::ops
