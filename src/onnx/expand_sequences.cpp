// Sequences and optional values, which programs do not have: their elements are followed while the model is read, so
// lengths and positions must be known then.
#include "onnx/expansion.h"
#include "onnx/message.h"

namespace foreflow::onnx::expansions {

using ir::Array;
using ir::ValueId;

namespace {

const std::vector<ValueId>& elements_of(const ControlNode& node, size_t index) {
  const auto* elements = node.emitter.elements(required(node, index, "a sequence"));
  if (elements == nullptr)
    throw Error(node.where,
                node.proto.op_type() + " takes a sequence; operand " + std::to_string(index) + " is a tensor");
  return *elements;
}

// The number in an operand, counted from the end if it is negative; at most `last`.
size_t position(const ControlNode& node, size_t index, size_t size, size_t last) {
  const auto stated = node.emitter.number(required(node, index, "a position"));
  if (!stated)
    throw Error(node.where, node.proto.op_type() +
                                " has a position that is known at run time only; a constant one is needed" +
                                numbers_of(node, node.input(index)));
  const int64_t from_begin = *stated < 0 ? *stated + static_cast<int64_t>(size) : *stated;
  if (from_begin < 0 || from_begin > static_cast<int64_t>(last))
    throw Error(node.where, node.proto.op_type() + " has position " + std::to_string(*stated) + " in a sequence of " +
                                std::to_string(size));
  return static_cast<size_t>(from_begin);
}

// The sizes of the parts: those stated, equal ones with a smaller last, or 1.
std::vector<int64_t> part_sizes(const ControlNode& node, int64_t whole) {
  std::vector<int64_t> sizes;
  int64_t each = 1;
  if (node.input(1) != ValueId::none) {
    const Array* stated = node.emitter.numbers(node.input(1));
    if (stated == nullptr)
      throw Error(node.where, "SplitToSequence has sizes that are known at run time only; constant ones are needed" +
                                  numbers_of(node, node.input(1)));
    if (!stated->dims().empty()) return stated->to_ints();
    each = stated->to_ints()[0];
  }
  if (each < 1)
    throw Error(node.where, "SplitToSequence has parts of " + std::to_string(each) + "; at least 1 would be right");
  constexpr int64_t kMost = 100'000;
  if (whole / each > kMost) throw Error(node.where, "SplitToSequence has more than 100000 parts; fewer are needed");
  for (int64_t at = 0; at < whole; at += each) sizes.push_back(std::min(each, whole - at));
  return sizes;
}

}  // namespace

std::vector<ValueId> sequence_construct(const ControlNode& node) { return {node.emitter.sequence(node.inputs)}; }

std::vector<ValueId> sequence_empty(const ControlNode& node) { return {node.emitter.sequence({})}; }

std::vector<ValueId> sequence_length(const ControlNode& node) {
  return {node.emitter.constant(Array::scalar(static_cast<int64_t>(elements_of(node, 0).size())))};
}

std::vector<ValueId> sequence_at(const ControlNode& node) {
  const auto& elements = elements_of(node, 0);
  if (elements.empty()) throw Error(node.where, "SequenceAt reads an empty sequence");
  return {elements[position(node, 1, elements.size(), elements.size() - 1)]};
}

std::vector<ValueId> sequence_insert(const ControlNode& node) {
  std::vector<ValueId> elements = elements_of(node, 0);
  const ValueId fresh           = required(node, 1, "a tensor");
  const size_t place =
      node.input(2) == ValueId::none ? elements.size() : position(node, 2, elements.size(), elements.size());
  elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(place), fresh);
  return {node.emitter.sequence(std::move(elements))};
}

std::vector<ValueId> sequence_erase(const ControlNode& node) {
  std::vector<ValueId> elements = elements_of(node, 0);
  if (elements.empty()) throw Error(node.where, "SequenceErase takes from an empty sequence");
  const size_t last  = elements.size() - 1;
  const size_t place = node.input(1) == ValueId::none ? last : position(node, 1, elements.size(), last);
  elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(place));
  return {node.emitter.sequence(std::move(elements))};
}

std::vector<ValueId> concat_from_sequence(const ControlNode& node) {
  const int64_t axis         = node.attributes.get_int("axis");
  std::vector<ValueId> parts = elements_of(node, 0);
  if (parts.empty()) throw Error(node.where, "ConcatFromSequence joins an empty sequence");
  if (node.attributes.int_or("new_axis", 0) != 0) {
    for (ValueId& part : parts) part = node.op("Unsqueeze", {part, integers(node, {axis})});
  }
  return {node.op("Concat", parts, {{"axis", axis}})};
}

std::vector<ValueId> split_to_sequence(const ControlNode& node) {
  const ValueId x    = required(node, 0, "a tensor");
  const int64_t axis = node.attributes.int_or("axis", 0);
  const auto whole   = size_of(node, x, axis);
  if (!whole)
    throw Error(node.where, "SplitToSequence does not know dimension " + std::to_string(axis) +
                                " of its operand; give the inputs' shapes" + numbers_of(node, x));
  const std::vector<int64_t> sizes = part_sizes(node, *whole);
  if (sizes.empty()) return {node.emitter.sequence({})};
  std::vector<ValueId> parts{x};
  if (sizes.size() > 1)
    parts = node.emitter.emit(node.where, "Split", {x, integers(node, sizes)}, {{"axis", axis}}, sizes.size());
  const bool squeezes = node.input(1) == ValueId::none && node.attributes.int_or("keepdims", 1) == 0;
  for (ValueId& part : parts) part = squeezes ? node.op("Squeeze", {part, integers(node, {axis})}) : part;
  return {node.emitter.sequence(std::move(parts))};
}

// The body is applied to the elements of a sequence and those of others at the same place; tensors are the same for
// all.
std::vector<ValueId> sequence_map(const ControlNode& node) {
  const size_t rounds = elements_of(node, 0).size();
  std::vector<std::vector<ValueId>> made(static_cast<size_t>(node.proto.output_size()));
  for (size_t round = 0; round < rounds; ++round) {
    std::vector<ValueId> arguments;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const auto* elements = node.emitter.elements(node.inputs[i]);
      if (elements != nullptr && elements->size() != rounds)
        throw Error(node.where, "SequenceMap has sequences of " + std::to_string(rounds) + " and " +
                                    std::to_string(elements->size()) + " elements; equally many would be right");
      arguments.push_back(elements == nullptr ? node.inputs[i] : (*elements)[round]);
    }
    const std::vector<ValueId> results = node.inlined("body", arguments);
    if (results.size() < made.size())
      throw Error(node.where, "the body of SequenceMap should give " + std::to_string(made.size()) + " results");
    for (size_t i = 0; i < made.size(); ++i) made[i].push_back(results[i]);
    check_size(node);
  }
  std::vector<ValueId> sequences;
  for (auto& elements : made) sequences.push_back(node.emitter.sequence(std::move(elements)));
  return sequences;
}

// A value that may be absent is one that is there, or the operand that is left out.
std::vector<ValueId> optional_value(const ControlNode& node) {
  return {required(node, 0, "a value: an empty optional is not supported")};
}

std::vector<ValueId> optional_has_element(const ControlNode& node) {
  Array truth(ir::DType::boolean, {});
  truth.mutable_data<bool>()[0] = node.input(0) != ValueId::none;
  return {node.emitter.constant(truth)};
}

}  // namespace foreflow::onnx::expansions
