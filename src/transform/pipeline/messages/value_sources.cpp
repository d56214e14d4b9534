#include "transform/pipeline/messages/value_sources.h"

namespace foreflow::transform {

using ir::ValueId;

ValueSources::ValueSources(const PipelinedProgram& program, const StageFunctions& functions, const PlacedValues& placed)
    : program_(program), functions_(functions), placed_(placed) {
  for (size_t o = 0; o < program.staged.size(); ++o) {
    const ir::Op& op = program.function.ops[o];
    if (program.staged[o].phase != StagePhase::transfer) continue;
    transfers_[program.function.inputs(op)[0]].push_back(o);
    for (uint32_t i = 0; i < op.result_count; ++i) transferred_[program.function.output(op, i)] = o;
  }
}

int ValueSources::of(ValueId id, int part) const {
  const int pipe = program_.pipe_of(part);
  if (const auto transfer = transfer_of(id)) return program_.devices.of(pipe, program_.staged[*transfer].stage);
  return program_.slot(id, part) == kEveryMicrobatch ? placed_.devices_of(id).at(0)
                                                     : program_.devices.of(pipe, functions_.home(id));
}

std::optional<size_t> ValueSources::transfer_of(ValueId id) const {
  const auto made = transferred_.find(id);
  return made == transferred_.end() ? std::nullopt : std::optional(made->second);
}

std::span<const size_t> ValueSources::transfers_from(ValueId id) const {
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) return {};
  return found->second;
}

}  // namespace foreflow::transform
