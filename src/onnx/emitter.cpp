#include "onnx/emitter.h"

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/uses.h"
#include "onnx/message.h"

namespace foreflow::onnx {

using interpret::Mixed;
using ir::ValueId;

ValueId Emitter::parameter(std::string name, ir::ParameterRole role, const std::optional<ir::Type>& type,
                           const ir::Array* numbers) {
  const ValueId id =
      builder_.parameter(std::move(name), role, type ? std::make_shared<const ir::Type>(*type) : nullptr);
  if (follow_ == Follow::nothing) return id;
  // A mask, from which lengths are computed, may be large.
  const bool known = numbers != nullptr &&
                     (!ir::is_float(numbers->dtype()) || numbers->size() <= interpret::MixedDomain::kLargestKnown);
  known_.push_back(known ? Mixed::of(*numbers) : Mixed::of(type.value_or(ir::Type())));
  return id;
}

std::vector<ValueId> Emitter::emit(const std::string& where, std::string_view op, std::vector<ValueId> inputs,
                                   ir::Attributes attributes, size_t outputs, const std::vector<std::string>& names) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (elements(inputs[i]) != nullptr)
      throw Error(where, std::string(op) + " takes tensors; operand " + std::to_string(i) + " is a sequence");
  }
  auto results = builder_.emit(op, std::move(inputs), std::move(attributes), outputs, names);
  if (follow_ == Follow::results) follow_last(where);
  return results;
}

ValueId Emitter::constant(ir::Array value, std::string name) {
  return emit("Constant", "Constant", {}, {{"value", std::move(value)}}, 1, {std::move(name)})[0];
}

namespace {

// Ids from here on stand for sequences; a program has fewer values.
constexpr size_t kFirstSequence = size_t{1} << 30;

}  // namespace

ValueId Emitter::sequence(std::vector<ValueId> elements) {
  sequences_.push_back(std::move(elements));
  return static_cast<ValueId>(kFirstSequence + sequences_.size() - 1);
}

const std::vector<ValueId>* Emitter::elements(ValueId id) const {
  if (id == ValueId::none || ir::index(id) < kFirstSequence) return nullptr;
  return &sequences_.at(ir::index(id) - kFirstSequence);
}

const ir::Type& Emitter::type(ValueId id) const {
  static const ir::Type unknown;
  return elements(id) != nullptr ? unknown : known_.at(ir::index(id)).type;
}

const ir::Array* Emitter::numbers(ValueId id) const {
  return elements(id) != nullptr ? nullptr : known_.at(ir::index(id)).known.get();
}

std::optional<int64_t> Emitter::number(ValueId id) const {
  const ir::Array* array = id == ValueId::none ? nullptr : numbers(id);
  if (array == nullptr || array->size() != 1) return std::nullopt;
  return array->to_ints()[0];
}

std::string Emitter::inputs_of(ValueId id) const {
  const ir::Function& function      = builder_.function();
  const std::vector<int32_t> makers = ir::makers_of(function);
  std::vector<ValueId> open{id};
  std::set<ValueId> seen;
  std::vector<std::string> names;
  while (!open.empty()) {
    const ValueId next = open.back();
    open.pop_back();
    if (next == ValueId::none || !seen.insert(next).second) continue;
    if (const std::vector<ValueId>* parts = elements(next)) {
      open.insert(open.end(), parts->begin(), parts->end());
      continue;
    }
    if (const int32_t op = makers[ir::index(next)]; op >= 0) {
      const auto inputs = function.inputs(nth(function.ops, op));
      open.insert(open.end(), inputs.begin(), inputs.end());
    } else if (function.parameters[ir::index(next)] == ir::ParameterRole::data) {
      names.push_back(quote(function.value(next).name));
    }
  }
  if (names.empty()) return "";
  std::sort(names.begin(), names.end());
  return (names.size() == 1 ? "input " : "inputs ") + join(names);
}

void Emitter::follow_last(const std::string& where) {
  const ir::Function& function = builder_.function();
  const ir::Op& op             = function.ops.back();
  std::vector<Mixed> inputs;
  for (const ValueId id : function.inputs(op)) inputs.push_back(id == ValueId::none ? Mixed{} : known_[ir::index(id)]);
  try {
    for (Mixed& result : interpret::MixedDomain().apply(op, inputs)) known_.push_back(std::move(result));
  } catch (const Error& error) {
    throw Error(where, std::string(op.def->name) + ": " + error.problem());
  }
}

}  // namespace foreflow::onnx
