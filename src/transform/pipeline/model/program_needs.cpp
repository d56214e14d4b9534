#include "transform/pipeline/model/program_needs.h"

#include <algorithm>
#include <limits>

#include "transform/pipeline/cuts/op_prices.h"

namespace foreflow::transform {
namespace {

bool computes(const ModelledProgram& program, size_t o) {
  return program.phases[o] != StagePhase::anywhere && program.function.ops[o].def->role != ir::Role::communication;
}

// Per op: of computes, on a device that runs them.
std::vector<Seconds> times_by(const ModelledProgram& program, const StageModel::Price::Time& time) {
  StagePrices prices;
  prices.op = [&](const ir::OpCall& call, std::span<const ir::Type> outputs) {
    return call.def.role == ir::Role::communication ? Seconds(0) : time(call, outputs);
  };
  OpPrices price_of(prices, program.parts);
  std::vector<Seconds> seconds(program.function.ops.size());
  for (size_t o = 0; o < seconds.size(); ++o) {
    if (computes(program, o)) seconds[o] = price_of(program.function, program.function.ops[o], program.values).seconds;
  }
  return seconds;
}

// Fusion: an op that may be one kernel with the op that makes one of its operands takes its time in `joined`, where
// that is less. What updates weights reads gradients that microbatches have added up, which is pointwise.
void join_kernels(const ModelledProgram& program, const std::vector<Seconds>& joined, std::vector<Seconds>& seconds) {
  const Seconds never(std::numeric_limits<double>::infinity());
  std::vector<bool> is_pointwise(program.function.values.size());  // per value: such an op makes it, or its memory
  for (size_t o = 0; o < seconds.size(); ++o) {
    const ir::Op& op    = program.function.ops[o];
    const auto operands = program.function.inputs(op);
    const bool follows  = std::any_of(operands.begin(), operands.end(), [&](ir::ValueId id) {
      return id != ir::ValueId::none && is_pointwise[ir::index(id)];
    });
    const bool fuses    = computes(program, o) && op.def->role == ir::Role::compute && joined[o] < never;
    const bool passes   = follows && op.def->role != ir::Role::compute;  // views and communications
    for (uint32_t i = 0; i < op.result_count; ++i) is_pointwise[op.first_result + i] = fuses || passes;
    if (fuses && (follows || program.phases[o] == StagePhase::update)) seconds[o] = std::min(seconds[o], joined[o]);
  }
}

// The mean over the devices of the group.
std::vector<Seconds> times_of_computes(const ModelledProgram& program, const StageModel::Price& price) {
  std::vector<Seconds> seconds = times_by(program, price.alone);
  if (price.joined) join_kernels(program, times_by(program, price.joined), seconds);
  for (size_t o = 0; o < seconds.size(); ++o) seconds[o] = program.share_of(program.function.ops[o]) * seconds[o];
  return seconds;
}

// The bytes of activations and of their gradients.
std::vector<Bytes> live_bytes(const ModelledProgram& program, const std::set<size_t>& left_out) {
  std::vector<Bytes> bytes(program.values.size());
  for (size_t value = 0; value < bytes.size(); ++value) {
    // A value that no sample changes may be computed once for all microbatches.
    const bool counts = program.is_stored(value) && program.values[value].layout.is_split() &&
                        !left_out.contains(program.source_of(value));
    if (counts) bytes[value] = program.bytes_of(value);
  }
  return bytes;
}

}  // namespace

ProgramNeeds needs_of(const ModelledProgram& program, const ir::OpTable& ops, const StageModel::Price& price) {
  ProgramNeeds needs;
  needs.seconds             = times_of_computes(program, price);
  needs.messages            = messages_of(program, needs.seconds, ops, price);
  needs.weights             = weights_of(program, needs.seconds, ops, price);
  needs.kept                = kept_activations(program);
  const StoredValues stored = {
      [&](size_t value) { return program.root_of(value); }, [&](size_t value) { return program.source_of(value); },
      [&](size_t value) { return program.is_stored(value); }, [&](size_t value) { return program.bytes_of(value); },
      [&](size_t value) { return program.bytes_on_one(value); }};
  needs.in_parts      = values_in_parts(program.function, stored.source_of);
  needs.working_sets  = working_sets(program.function, program.phases, program.anchors, needs.in_parts, stored);
  needs.live          = live_bytes(program, {});
  needs.live_in_parts = live_bytes(program, needs.in_parts);
  return needs;
}

}  // namespace foreflow::transform
