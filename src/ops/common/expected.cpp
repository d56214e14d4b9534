#include "ops/common/expected.h"

namespace foreflow::ops {

void check_dims(const OpCall& call, size_t operand, const Dims& wanted, std::string_view name) {
  if (!call.has(operand)) return;
  const Type type = tensor_operand(call, operand);
  if (!has_rank(type)) return;
  bool fits = type.dims.size() == wanted.size();
  for (size_t i = 0; fits && i < wanted.size(); ++i) fits = !differ(type.dims[i], wanted[i]);
  if (!fits)
    call.fail(std::string(name) + " is " + to_string(type.dims) + "; " + to_string(wanted) + " would be right");
}

}  // namespace foreflow::ops
