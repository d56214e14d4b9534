#include "transform/pipeline/program/pipelined_program.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/schedule/play.h"
#include "transform/pipeline/program/stage_costs.h"
#include "transform/pipeline/weight_gradients/weight_gradients.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// Values that the update or the results need as sums over microbatches.
std::vector<bool> find_sums(const ir::Function& function, const std::vector<StagedOp>& staged,
                            const interpret::Values<LaidOut>& values) {
  std::vector<bool> summed(function.values.size());
  const auto mark = [&](ValueId id) {
    if (id != ValueId::none) summed[ir::index(id)] = values[ir::index(id)].layout.is_partial();
  };
  for (size_t o = 0; o < staged.size(); ++o) {
    if (staged[o].phase != StagePhase::update) continue;
    for (const ValueId id : function.inputs(function.ops[o])) mark(id);
  }
  for (const ValueId id : function.results) mark(id);
  // Sums of sums are taken once, after all microbatches.
  for (size_t o = 0; o < staged.size(); ++o) {
    if (staged[o].phase != StagePhase::update) continue;
    for (uint32_t i = 0; i < function.ops[o].result_count; ++i) summed[function.ops[o].first_result + i] = false;
  }
  return summed;
}

std::vector<StagedOp> stage(const ir::Module& module, const interpret::Values<LaidOut>& values, const Pipeline& wanted,
                            const schedule::Plan& plan, const DecidedStages* decided) {
  std::vector<StagedOp> staged =
      decided != nullptr ? staged_as_decided(module, values, *decided) : assign_stages(module, values, wanted, plan);
  if (splits_backward(wanted, plan)) mark_weight_gradients(module.entry(), values, staged);
  return staged;
}

bool any_task(const schedule::Plan& plan, schedule::Phase phase) {
  return std::any_of(plan.order.begin(), plan.order.end(), [phase](const auto& tasks) {
    return std::any_of(tasks.begin(), tasks.end(), [phase](const schedule::Task& task) { return task.phase == phase; });
  });
}

bool delays(const Pipeline& wanted, const schedule::Plan& plan) {
  return wanted.delay_weight_gradients && any_task(plan, schedule::Phase::backward);
}

// The plan with weight gradients delayed by the least delay that, by the prices, hides the transfers between stages (On
// Optimizing the Communication of Model Parallelism, 2022, section 4).
schedule::Plan delayed(const ir::Function& function, const std::vector<StagedOp>& staged,
                       const interpret::Values<LaidOut>& values, const Pipeline& wanted, const schedule::Plan& plan,
                       const DecidedStages* decided) {
  if (!delays(wanted, plan)) return plan;
  const int parts = wanted.size.microbatches * wanted.prices.replicas;
  std::vector<StageGroup> groups;
  if (decided != nullptr) {
    const StageDevices devices(plan);
    for (int stage = 0; stage < plan.stages(); ++stage) {
      const int device = devices.of(0, stage);
      groups.push_back({device, nth(decided->groups, device)});
    }
  }
  const schedule::Costs costs = stage_costs(function, staged, values, wanted.prices, parts, plan.stages(), groups);
  return schedule::delay_weight_gradients(plan, schedule::least_delay(plan, costs), costs);
}

// As PipelinedProgram has them.
std::vector<bool> find_shared(const ir::Function& function, const std::vector<StagedOp>& staged,
                              const interpret::Values<LaidOut>& values, const std::vector<bool>& summed,
                              int microbatches) {
  std::vector<bool> shared = microbatches == 1 ? std::vector<bool>(summed.size(), true) : summed;
  for (size_t i = 0; i < function.parameters.size(); ++i) shared[i] = shared[i] || !values[i].layout.is_split();
  for (size_t o = 0; o < staged.size(); ++o) {
    if (staged[o].phase != StagePhase::update) continue;
    for (const ValueId id : function.inputs(function.ops[o])) {
      if (id != ValueId::none && values[ir::index(id)].layout.is_whole()) shared[ir::index(id)] = true;
    }
  }
  return shared;
}

// Returns true if an op that runs after all microbatches reads what only one of them has.
bool reads_split(const PipelinedProgram& program, const ir::Op& op) {
  const auto inputs = program.function.inputs(op);
  return std::any_of(inputs.begin(), inputs.end(), [&](ValueId id) {
    return id != ValueId::none && program.values[ir::index(id)].layout.is_split();
  });
}

}  // namespace

PipelinedProgram::PipelinedProgram(const ir::Module& of, const Pipeline& wanted, const schedule::Plan& undelayed,
                                   const DecidedStages* decided)
    : module(of),
      function(of.entry()),
      microbatches(wanted.size.microbatches),
      run(undelayed.size.microbatches),
      layouts(interpret_layouts(module, microbatches, "microbatches")),
      values(layouts.entry().values),
      staged(stage(module, values, wanted, undelayed, decided)),
      plan(delayed(function, staged, values, wanted, undelayed, decided)),
      summed(find_sums(function, staged, values)),
      shared(find_shared(function, staged, values, summed, microbatches)),
      devices(plan),
      wide(wide_sums(function, staged, summed, devices)) {}

void PipelinedProgram::check_ops() const {
  Judge judge_once(microbatches);
  for (size_t o = 0; o < staged.size(); ++o) {
    const ir::Op& op = function.ops[o];
    const bool once  = staged[o].phase == StagePhase::update;
    if (once ? reads_split(*this, op) : !judge_once(function, op, values).as_it_arrives)
      mixes_samples(module, function, op, values, microbatches, "microbatches");
  }
}

bool splits_backward(const Pipeline& wanted, const schedule::Plan& plan) {
  return any_task(plan, schedule::Phase::weight_grad) || delays(wanted, plan);
}

}  // namespace foreflow::transform
