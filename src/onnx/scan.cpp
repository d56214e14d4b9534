#include <algorithm>

#include "foreflow/base/nth.h"
#include "onnx/control_flow.h"
#include "onnx/subgraphs.h"

namespace foreflow::onnx::expansions {

using ir::ValueId;

namespace {

// One sequence: the carried values, then what is read slice by slice.
struct Sequence {
  std::vector<ValueId> carried, scanned;
};

// Axes and directions of the scanned values or the stacked results; 0 where the node says nothing.
int64_t entry(const ControlNode& node, std::string_view attribute, size_t index) {
  const auto list = node.attributes.find_ints(attribute);
  return list && index < list->size() ? (*list)[index] : 0;
}

ValueId slice(const ControlNode& node, ValueId value, int64_t index, int64_t axis) {
  return node.op("Gather", {value, node.emitter.constant(ir::Array::scalar(index))}, {{"axis", axis}});
}

// The rounds that a scanned value asks for.
int64_t rounds_of(const ControlNode& node, ValueId value, int64_t axis) {
  const ir::Type& type = node.emitter.type(value);
  const auto rank      = static_cast<int64_t>(type.dims.size());
  const bool ranked    = type.is_tensor() && type.ranked;
  if (ranked && (axis >= rank || axis < -rank))
    throw Error(node.where, "Scan reads along axis " + std::to_string(axis) + " of " + ir::to_string(type));
  const int64_t dim = ranked ? nth(type.dims, axis < 0 ? axis + rank : axis) : ir::Dims::kUnknown;
  if (dim == ir::Dims::kUnknown) {
    throw Error(node.where,
                "Scan reads a value of type " + ir::to_string(type) +
                    ", so that the number of its rounds is not known; give the shapes of the model's inputs");
  }
  return dim;
}

std::vector<ValueId> scan_one(const ControlNode& node, const Sequence& sequence, std::string_view directions) {
  const auto& body             = subgraph(node.proto, "body", node.where);
  std::vector<ValueId> carried = sequence.carried;
  const auto outputs           = static_cast<size_t>(body.output_size());
  if (outputs < carried.size()) throw Error(node.where, "the body of Scan should give every carried value");
  int64_t rounds = 0;
  for (size_t i = 0; i < sequence.scanned.size(); ++i) {
    const int64_t found = rounds_of(node, sequence.scanned[i], entry(node, "scan_input_axes", i));
    if (i > 0 && found != rounds) throw Error(node.where, "Scan reads values of different lengths");
    rounds = found;
  }
  std::vector<std::vector<ValueId>> slices(outputs - carried.size());
  for (int64_t number = 0; number < rounds; ++number) {
    std::vector<ValueId> arguments = carried;
    for (size_t i = 0; i < sequence.scanned.size(); ++i) {
      const int64_t at = entry(node, directions, i) == 0 ? number : rounds - 1 - number;
      arguments.push_back(slice(node, sequence.scanned[i], at, entry(node, "scan_input_axes", i)));
    }
    const std::vector<ValueId> results = node.inlined("body", arguments);
    const auto first_slice             = results.begin() + static_cast<std::ptrdiff_t>(carried.size());
    carried.assign(results.begin(), first_slice);
    for (size_t i = 0; i < slices.size(); ++i) slices[i].push_back(first_slice[static_cast<std::ptrdiff_t>(i)]);
    check_size(node);
  }
  const size_t fixed = carried.size();
  for (size_t i = 0; i < slices.size(); ++i) {
    if (entry(node, "scan_output_directions", i) != 0) std::reverse(slices[i].begin(), slices[i].end());
    carried.push_back(
        stacked(node, slices[i], entry(node, "scan_output_axes", i), body.output(static_cast<int>(fixed + i))));
  }
  return carried;
}

// Opset 8: every operand has a batch in front, whose sequences are scanned one by one.
std::vector<ValueId> scan_batch(const ControlNode& node, const Sequence& batch) {
  const ValueId first = batch.scanned.empty() ? ValueId::none : batch.scanned[0];
  if (first == ValueId::none) throw Error(node.where, "Scan needs something to read");
  std::vector<std::vector<ValueId>> results;
  const int64_t sequences = rounds_of(node, first, 0);
  for (int64_t b = 0; b < sequences; ++b) {
    Sequence one;
    for (const ValueId value : batch.carried) one.carried.push_back(slice(node, value, b, 0));
    for (const ValueId value : batch.scanned) one.scanned.push_back(slice(node, value, b, 0));
    const std::vector<ValueId> outputs = scan_one(node, one, "directions");
    results.resize(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) results[i].push_back(outputs[i]);
  }
  std::vector<ValueId> stacks;
  for (size_t i = 0; i < results.size(); ++i) {
    stacks.push_back(
        stacked(node, results[i], 0, subgraph(node.proto, "body", node.where).output(static_cast<int>(i))));
  }
  return stacks;
}

}  // namespace

// Operands: carried values, then num_scan_inputs values that are read slice by slice; before opset 9 the lengths of the
// sequences stand in front. Results: the carried values, then the slices of all rounds.
std::vector<ValueId> scan(const ControlNode& node) {
  const bool batched  = node.opset < 9;
  const auto scanned  = node.attributes.get_int("num_scan_inputs");
  const auto operands = std::span(node.inputs).subspan(batched && !node.inputs.empty() ? 1 : 0);
  if (batched && node.input(0) != ValueId::none)
    throw Error(node.where, "Scan with sequence_lens is not supported; sequences of one length are");
  if (scanned < 1 || scanned > static_cast<int64_t>(operands.size()))
    throw Error(node.where, "num_scan_inputs is " + std::to_string(scanned) + "; Scan has " +
                                std::to_string(operands.size()) + " operands");
  const auto from = operands.end() - scanned;
  const Sequence sequence{{operands.begin(), from}, {from, operands.end()}};
  return batched ? scan_batch(node, sequence) : scan_one(node, sequence, "scan_input_directions");
}

}  // namespace foreflow::onnx::expansions
