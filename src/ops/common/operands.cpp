#include "ops/common/operands.h"

namespace foreflow::ops {

const Type& operand(const OpCall& call, size_t index) {
  if (index >= call.arity()) call.fail("needs at least " + std::to_string(index + 1) + " operands");
  return call.inputs[index];
}

double number_of(const OpCall& call, const Array& array) {
  if (array.size() < 1) call.fail("takes a number from a tensor that holds none");
  return array.at(0);
}

int64_t first_of(const OpCall& call, const std::vector<int64_t>& list) {
  if (list.empty()) call.fail("takes a number from an empty list");
  return list.front();
}

}  // namespace foreflow::ops
