#include "ops/common/letters.h"

#include <algorithm>

namespace foreflow::ops {

namespace {

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) text += (i ? "," : "") + parts[i];
  return text;
}

// A rank that a rule derives from those of operands is nonsense when one that it needs is left out.
void check_rank(size_t rank) {
  constexpr size_t kMostLetters = 26;
  if (rank > kMostLetters) throw Error("factors", "an operand is left out, or has a rank that does not fit the others");
}

}  // namespace

std::string letters(size_t rank, char first) {
  check_rank(rank);
  std::string text;
  for (size_t i = 0; i < rank; ++i) text += static_cast<char>(first + static_cast<char>(i));
  return text;
}

std::string dots(size_t rank) {
  check_rank(rank);
  return std::string(rank, '.');
}

std::string dots_of(const OpCall& call, size_t index) {
  return index < call.arity() && has_rank(call.inputs[index]) ? dots(call.inputs[index].dims.size()) : "";
}

std::string factor_text(const OpCall& call, std::vector<std::string> inputs, const std::vector<std::string>& outputs) {
  if (inputs.size() > call.arity()) inputs.resize(call.arity());  // optional operands at the end that are not given
  for (size_t i = inputs.size(); i < call.arity(); ++i) inputs.push_back(dots_of(call, i));
  return join(inputs) + "->" + join(outputs);
}

bool splittable(const OpCall& call) {
  return std::all_of(call.inputs.begin(), call.inputs.end(),
                     [](const Type& type) {
                       return type.kind == Type::Kind::unknown ? true
                                                               : type.kind == Type::Kind::scalar || has_dims(type);
                     }) &&
         std::any_of(call.inputs.begin(), call.inputs.end(), [](const Type& type) { return has_dims(type); });
}

}  // namespace foreflow::ops
