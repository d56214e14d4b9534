#include "onnx/control_flow.h"
#include "onnx/subgraphs.h"

namespace foreflow::onnx::expansions {

using ir::Array;
using ir::ValueId;

namespace {

// The state between two rounds. Once a condition is known at run time only, rounds go on and `active` says whether they
// still count.
struct State {
  std::vector<ValueId> carried;
  std::vector<std::vector<ValueId>> slices;  // of each result that collects one from every round
  ValueId condition = ValueId::none, active = ValueId::none;
};

Array truth(bool value) {
  Array array(ir::DType::boolean, {});
  array.mutable_data<bool>()[0] = value;
  return array;
}

// True if another round begins; changes `state.active` if that is not known.
bool goes_on(const ControlNode& node, State& state, std::optional<int64_t> most) {
  if (state.condition == ValueId::none) return true;
  const auto known = node.emitter.number(state.condition);
  if (known && *known == 0) return false;
  if (known) return true;
  if (!most) {
    throw Error(node.where,
                "neither the trip count of Loop nor its condition is known before run time; export the model with a "
                "constant one" +
                    numbers_of(node, state.condition));
  }
  if (!state.slices.empty()) {
    throw Error(node.where,
                "Loop may end early by a condition that is known at run time only, so that the length of its results "
                "is not known; export the model with a constant condition");
  }
  state.active = state.active == ValueId::none ? state.condition : node.op("And", {state.active, state.condition});
  return true;
}

void round(const ControlNode& node, State& state, int64_t number) {
  std::vector<ValueId> arguments{node.emitter.constant(Array::scalar(number)), state.condition == ValueId::none
                                                                                   ? node.emitter.constant(truth(true))
                                                                                   : state.condition};
  arguments.insert(arguments.end(), state.carried.begin(), state.carried.end());
  const std::vector<ValueId> results = node.inlined("body", arguments);
  const size_t carried               = state.carried.size();
  if (results.size() != 1 + carried + state.slices.size())
    throw Error(node.where, "the body of Loop should give a condition, the carried values and the slices");
  std::vector<ValueId> next(results.begin() + 1, results.begin() + 1 + static_cast<std::ptrdiff_t>(carried));
  if (state.active != ValueId::none) next = select(node, state.active, next, state.carried, "carried value");
  state.carried   = std::move(next);
  state.condition = results[0];
  for (size_t i = 0; i < state.slices.size(); ++i) state.slices[i].push_back(results[1 + carried + i]);
}

}  // namespace

// Operands: trip count, condition, the carried values. Results: the carried values after the last round, then the
// slices of all rounds.
std::vector<ValueId> loop(const ControlNode& node) {
  const auto& body = subgraph(node.proto, "body", node.where);
  State state{.carried = {}, .slices = {}, .condition = node.input(1)};
  if (node.inputs.size() > 2) state.carried.assign(node.inputs.begin() + 2, node.inputs.end());
  const size_t fixed = 1 + state.carried.size();
  if (static_cast<size_t>(body.output_size()) < fixed)
    throw Error(node.where, "the body of Loop should give a condition and every carried value");
  state.slices.resize(static_cast<size_t>(body.output_size()) - fixed);
  const auto most    = node.emitter.number(node.input(0));
  const bool endless = node.input(0) == ValueId::none;
  for (int64_t number = 0; endless || !most || number < *most; ++number) {
    if (!most && !endless &&
        (state.condition == ValueId::none || node.emitter.number(state.condition).value_or(1) != 0)) {
      throw Error(node.where,
                  "the trip count of Loop is not known before run time; export the model with a constant one" +
                      numbers_of(node, node.input(0)));
    }
    if (!goes_on(node, state, most)) break;
    round(node, state, number);
    check_size(node);
  }
  std::vector<ValueId> results = state.carried;
  for (size_t i = 0; i < state.slices.size(); ++i) {
    results.push_back(stacked(node, state.slices[i], 0, body.output(static_cast<int>(fixed + i))));
  }
  return results;
}

}  // namespace foreflow::onnx::expansions
