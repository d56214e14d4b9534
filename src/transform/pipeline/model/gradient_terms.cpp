#include "transform/pipeline/model/gradient_terms.h"

#include <set>

#include "foreflow/base/nth.h"
#include "transform/pipeline/model/sent_values.h"

namespace foreflow::transform {
namespace {

// The operand of a sum over devices that is on the device of its result; other values as they are.
size_t before_sum_over_devices(const ir::Function& function, const std::vector<StagePhase>& phases,
                               const interpret::Values<LaidOut>& values, const std::vector<int32_t>& makers,
                               size_t value) {
  if (makers[value] < 0) return value;
  const auto maker = static_cast<size_t>(makers[value]);
  const ir::Op& op = function.ops[maker];
  const bool sums  = !op.is_call() && op.def->communication == ir::Communication::all_reduce;
  if (phases[maker] != StagePhase::update || !sums) return value;
  const auto device = ir::device_of(values[value].value.type);
  for (const ir::ValueId id : function.inputs(op)) {
    if (id != ir::ValueId::none && ir::device_of(values[ir::index(id)].value.type) == device) return ir::index(id);
  }
  return value;
}

}  // namespace

void add_terms(const ir::Function& function, const std::vector<StagePhase>& phases,
               const interpret::Values<LaidOut>& values, const std::vector<int32_t>& makers, size_t gradient,
               GradientTerms& all) {
  const size_t sum = before_sum_over_devices(function, phases, values, makers, gradient);
  std::vector<size_t> terms;
  for (std::vector<size_t> next = {sum}; !next.empty();) {
    const size_t value = next.back();
    next.pop_back();
    if (makers[value] < 0 || !values[value].layout.is_partial()) return;
    const auto maker = static_cast<size_t>(makers[value]);
    const ir::Op& op = function.ops[maker];
    if (phases[maker] == StagePhase::backward) {
      terms.push_back(value);
      continue;
    }
    if (phases[maker] != StagePhase::update || op.is_call() || !op.def->sums_operands) return;
    for (const ir::ValueId id : function.inputs(op)) {
      if (id == ir::ValueId::none) return;
      next.push_back(ir::index(id));
    }
  }
  if (terms.size() > 1 || sum != gradient) all.emplace(sum, std::move(terms));
}

std::vector<std::map<size_t, Bytes>> shared_gradients(const StagedProgram& program, const GradientTerms& terms,
                                                      size_t stages) {
  std::map<std::pair<size_t, size_t>, std::map<int32_t, Bytes>> shared;  // by both stages, and by device
  for (const auto& [gradient, own] : terms) {
    std::set<size_t> both;
    for (const size_t term : own) both.insert(static_cast<size_t>(nth(program.staged, program.makers[term]).stage));
    if (both.size() != 2) continue;
    const LaidOut& value = program.values[gradient];
    shared[{*both.begin(), *both.rbegin()}][ir::device_of(value.value.type).index] +=
        ir::bytes_of(local_type(value.value.type, value.layout, program.parts));
  }
  std::vector<std::map<size_t, Bytes>> all(stages);
  for (const auto& [both, by_device] : shared) {
    const Bytes least            = least_of_group(program, by_device);
    all[both.first][both.second] = least;
    all[both.second][both.first] = least;
  }
  return all;
}

}  // namespace foreflow::transform
