#include "ops/common/fused_activation.h"

#include <algorithm>
#include <array>

namespace foreflow::ops {

FusedActivation fused_activation(const Attributes& attributes) {
  constexpr std::string_view kPrefix = "activation_", kList = "activation_params";
  FusedActivation activation{attributes.string_or("activation", "Relu"), {}};
  for (const auto& [word, value] : attributes) {
    if (word.starts_with(kPrefix) && word != kList) activation.attributes.set(word.substr(kPrefix.size()), value);
  }
  const auto* list = attributes.find(kList);
  if (list == nullptr || !std::holds_alternative<std::vector<double>>(*list)) return activation;
  const bool limits = activation.name == "Clip";
  const std::array<std::string, 2> words{limits ? "min" : "alpha", limits ? "max" : "beta"};
  const auto& numbers = std::get<std::vector<double>>(*list);
  for (size_t i = 0; i < std::min(numbers.size(), words.size()); ++i) activation.attributes.set(words[i], numbers[i]);
  return activation;
}

FusedActivation activation_of(const OpCall& call) {
  FusedActivation activation = fused_activation(call.attributes);
  const OpDef* def           = table().find(activation.name);
  if (def == nullptr || !def->domain.empty() || def->role != Role::compute)
    call.fail("activation is \"" + activation.name + "\"; the name of an elementwise op such as Relu would be right");
  return activation;
}

void check_activation(const OpCall& call, const Type& type) {
  const FusedActivation activation = activation_of(call);
  const std::vector<Type> operands{type};
  const std::vector<const Array*> known{nullptr};
  const OpDef& def = row_of(activation.name);
  if (def.infer({def, activation.attributes, operands, known, 1}) != operands)
    call.fail("activation is \"" + activation.name + "\"; an elementwise op such as Relu would be right");
}

Array activated(const OpCall& call, const Array& x) {
  const FusedActivation activation = activation_of(call);
  const Array y                    = evaluate(activation.name, activation.attributes, {&x})[0];
  return array_of(value_of(call, 0).dtype(), y.dims(), values_of<double>(y));
}

}  // namespace foreflow::ops
