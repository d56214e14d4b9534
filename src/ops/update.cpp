#include "ops/update.h"

namespace foreflow::ops {

Type infer_update(const OpCall& call, const std::vector<Type>& operands) {
  std::vector<Type> known;
  for (const Type& operand : operands) {
    if (operand.kind != Type::Kind::unknown) known.push_back(moved(operand, {}));
  }
  if (known.empty()) return {};
  return map_leaves(call, known, [&](const std::vector<Type>& leaves) {
    for (const Type& leaf : leaves) {
      if (has_dims(leaf) && has_dims(leaves[0]) && leaf.dims != leaves[0].dims) {
        call.fail("operands are " + to_string(leaves[0].dims) + " and " + to_string(leaf.dims) +
                  "; a weight, its gradient and its state should have the same shape");
      }
    }
    return leaves[0];
  });
}

Array descended(const OpCall& call, const Array& weight, const Array& gradient, double rate) {
  return map_leaves(call, std::vector{weight, gradient}, [rate](const std::vector<Array>& leaves) {
    auto values      = values_of<double>(leaves[0]);
    const auto slope = values_of<double>(leaves[1]);
    for (size_t i = 0; i < values.size(); ++i) values[i] -= rate * slope[i];
    return array_of(leaves[0].dtype(), leaves[0].dims(), values);
  });
}

}  // namespace foreflow::ops
