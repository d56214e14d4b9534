#include "transform/pipeline/program_needs.h"

#include "transform/pipeline/op_prices.h"

namespace foreflow::transform {
namespace {

std::vector<Seconds> times_of_computes(const ModelledProgram& program, const StageModel::Price& price) {
  StagePrices prices;
  prices.op = [&](const ir::OpCall& call, std::span<const ir::Type> outputs) {
    return call.def.role == ir::Role::communication ? Seconds(0) : price(call, outputs);
  };
  OpPrices price_of(prices, program.parts);
  std::vector<Seconds> seconds(program.function.ops.size());
  for (size_t o = 0; o < seconds.size(); ++o) {
    const ir::Op& op = program.function.ops[o];
    if (program.phases[o] != StagePhase::anywhere && op.def->role != ir::Role::communication)
      seconds[o] = program.share_of(op) * price_of(program.function, op, program.values).seconds;
  }
  return seconds;
}

}  // namespace

ProgramNeeds needs_of(const ModelledProgram& program, const ir::OpTable& ops, const StageModel::Price& price) {
  ProgramNeeds needs;
  needs.seconds             = times_of_computes(program, price);
  needs.messages            = messages_of(program, needs.seconds, ops, price);
  needs.weights             = weights_of(program, needs.seconds, ops, price);
  needs.kept                = kept_activations(program);
  const StoredValues stored = {
      [&](size_t value) { return program.root_of(value); }, [&](size_t value) { return program.is_stored(value); },
      [&](size_t value) { return program.bytes_of(value); }, [&](size_t value) { return program.bytes_on_one(value); }};
  needs.in_parts     = values_in_parts(program.function, stored.root_of);
  needs.working_sets = working_sets(program.function, program.phases, program.anchors, needs.in_parts, stored);
  return needs;
}

}  // namespace foreflow::transform
