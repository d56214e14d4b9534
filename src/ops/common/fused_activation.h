// Ops of com.microsoft that end in an activation: attributes `activation`, its name, and `activation_alpha`,
// `activation_beta` or `activation_params`, its own attributes.
#pragma once

#include "ops/common/table_rows.h"
#include "ops/common/work.h"

namespace foreflow::ops {

// Attributes under the names that they have in the activation's own row.
struct FusedActivation {
  std::string name;
  Attributes attributes;
};

inline FusedActivation activation_of(const OpCall& call) {
  const std::string name = call.attributes.string_or("activation", "Relu");
  Attributes attributes;
  for (const std::string word : {"alpha", "beta"}) {
    if (call.attributes.find("activation_" + word) != nullptr)
      attributes.set(word, call.attributes.float_or("activation_" + word, 0));
  }
  const auto* list = call.attributes.find("activation_params");
  if (list != nullptr && std::holds_alternative<std::vector<double>>(*list)) {
    const auto& numbers = std::get<std::vector<double>>(*list);
    if (!numbers.empty()) attributes.set("alpha", numbers[0]);
    if (numbers.size() > 1) attributes.set("beta", numbers[1]);
  }
  const OpDef* def = table().find(name);
  if (def == nullptr || !def->domain.empty())
    call.fail("activation is \"" + name + "\"; the name of an elementwise op such as Relu would be right");
  return {name, attributes};
}

// Applies the activation to a Float64 result and rounds to the type of the first operand.
inline Array activated(const OpCall& call, const Array& x) {
  const FusedActivation activation = activation_of(call);
  const Array y                    = evaluate(activation.name, activation.attributes, {&x})[0];
  return array_of(value_of(call, 0).dtype(), y.dims(), values_of<double>(y));
}

inline Work with_activation(const OpCall& call, std::span<const Type> outputs, Work work) {
  work.flops += row_of(activation_of(call).name).work({call.def, call.attributes, outputs, {}, 1}, outputs).flops;
  return work;
}

// The factors of the op without those dimensions that it sums over: an activation cannot be applied to partial sums.
inline Factors without_sums(Factors factors) {
  const size_t arrow = factors.text.find("->");
  if (arrow == std::string::npos) return factors;
  const std::string output = factors.text.substr(arrow);
  for (size_t i = 0; i < arrow; ++i) {
    char& letter = factors.text[i];
    if (letter != ',' && letter != '+' && output.find(letter) == std::string::npos) letter = '.';
  }
  std::erase(factors.text, '+');
  return factors;
}

}  // namespace foreflow::ops
