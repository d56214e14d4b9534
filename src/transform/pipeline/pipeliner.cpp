#include "transform/pipeline/pipeliner.h"

#include <algorithm>
#include <set>
#include <string>

#include "foreflow/ir/verify.h"
#include "foreflow/schedule/play.h"
#include "transform/pipeline/messages/carried_values.h"
#include "transform/pipeline/program/stage_outliner.h"
#include "transform/pipeline/program/stage_table.h"
#include "transform/pipeline/program/step_update.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using schedule::PlacedTask;

// Writes the main function: calls of the stage functions in the order of the schedule, with sends between them.
class Pipeliner {
 public:
  Pipeliner(const PipelinedProgram& program, const ir::OpTable& ops, const Pipeline& wanted,
            const std::vector<int>& groups)
      : program_(program),
        function_(program.function),
        outliner_(function_, program.staged, program.values, program.microbatches, program.summed, program.wide, ops),
        functions_(function_, outliner_),
        builder_(function_.name, ops),
        placed_(builder_, program.values, program.run, groups),
        sources_(program, functions_, placed_),
        scattered_(program, wanted, sources_, builder_, placed_),
        carried_(program, sources_, scattered_, placed_),
        update_(builder_, function_, program.staged, program.summed, program.wide, placed_, program.devices) {}

  // `marks_ends` and `shares_functions` as in Pipeline.
  Distributed run(bool marks_ends, bool shares_functions) && {
    program_.check_ops();
    const std::vector<PlacedTask> tasks = schedule::linearize(program_.plan);
    AlikeFunctions alike(program_.values);
    functions_.outline(tasks, distributed_.module, marks_ends ? program_.plan.stages() : 0,
                       shares_functions ? &alike : nullptr);
    const auto holders = holders_of(function_, program_.staged, functions_, program_.devices);
    distributed_.parameters.reserve(function_.parameters.size());
    for (size_t i = 0; i < function_.parameters.size(); ++i) parameter(i, holders[i]);
    make_room(tasks);
    for (size_t begin = 0; begin < tasks.size();) {
      size_t end = begin;
      while (end < tasks.size() && tasks[end].start == tasks[begin].start) ++end;
      moment({tasks.data() + begin, tasks.data() + end});
      begin = end;
    }
    update_.run();
    std::vector<ValueId> results;
    for (size_t i = 0; i < function_.results.size(); ++i) result(i, results);
    distributed_.module.functions.push_back(builder_.finish(std::move(results)));
    distributed_.module.source = program_.module.source;
    ir::verify(distributed_.module, ir::Names::unique);
    return std::move(distributed_);
  }

 private:
  // Reserves memory for the calls, which are nearly all of the program.
  void make_room(const std::vector<PlacedTask>& tasks) {
    size_t ops = 0, values = 0, operands = 0;
    Begun begun(outliner_);
    for (const PlacedTask& task : tasks) {
      if (functions_.is_empty(task)) continue;
      const StageFunction& callee = functions_.at(begun.before(task));
      const size_t sent           = callee.sent.size();
      ops += 1 + sent;
      values += callee.outlined.results.size() + sent;
      operands += callee.outlined.parameters.size() + callee.outlined.sums.size() + sent;
    }
    builder_.reserve(ops, values, operands);
  }

  // `holders`: the devices that have a copy.
  void parameter(size_t i, const std::set<int>& holders) {
    const auto id        = static_cast<ValueId>(i);
    const Layout& layout = program_.values[i].layout;
    const int stage      = std::max(functions_.home(id), 0);  // 0: it is never read
    const ir::Type local = program_.local(id);
    const auto declare   = [&](const std::string& suffix, int part, int device, int pieces, int index) {
      const ir::Type type = ir::moved(local, placed_.device_of(id, device));
      placed_.set(id, program_.slot(id, part), device,
                    builder_.parameter(function_.values[i].name + suffix, function_.parameters[i], type));
      distributed_.parameters.push_back({static_cast<int32_t>(i), layout, pieces, index});
    };
    if (layout.is_split()) {
      for (int part = 0; part < program_.run; ++part)
        declare("." + std::to_string(part + 1), part, program_.devices.of(program_.pipe_of(part), stage),
                program_.microbatches, part);
      return;
    }
    if (function_.parameters[i] == ir::ParameterRole::data) return declare("", 0, *holders.begin(), 1, 0);
    const auto copies = static_cast<int>(holders.size());
    int copy          = 0;
    for (const int device : holders) {
      declare(copies == 1 ? "" : ".on" + std::to_string(device + 1), 0, device, copies, copy);
      ++copy;
    }
  }

  // Writes the tasks that begin at the same time, and then sends what they make.
  void moment(std::vector<PlacedTask> tasks) {
    for (const PlacedTask& task : tasks) call(task);
    std::stable_sort(tasks.begin(), tasks.end(), [](const auto& a, const auto& b) { return a.stage < b.stage; });
    for (const PlacedTask& task : tasks) forward_results(task);
  }

  void call(const PlacedTask& task) {
    if (functions_.is_empty(task)) return;
    StageFunction& callee    = functions_.at(begun_.before(task));
    const Outlined& outlined = callee.outlined;
    const Spots& spots       = spots_of(callee, task.device);
    const int part           = program_.plan.part(task.task);
    std::vector<ValueId> arguments;
    arguments.reserve(outlined.parameters.size() + outlined.sums.size());
    for (size_t i = 0; i < outlined.parameters.size(); ++i) {
      const ValueId id    = outlined.parameters[i];
      const ValueId known = placed_.at(spots.parameters[i], program_.slot(id, part));
      arguments.push_back(known != ValueId::none ? known : carried_.get(id, part, task.device));
    }
    for (const PlacedValues::Spot spot : spots.sums) arguments.push_back(placed_.at(spot, kEveryMicrobatch));
    const auto first = static_cast<int32_t>(builder_.append(nullptr, static_cast<int32_t>(callee.number),
                                                            builder_.share({}), arguments, outlined.results.size()));
    for (size_t i = 0; i < outlined.results.size(); ++i) {
      placed_.set(spots.results[i], program_.slot(outlined.results[i], part),
                  static_cast<ValueId>(first + static_cast<int32_t>(i)));
    }
  }

  const Spots& spots_of(StageFunction& callee, int device) {
    const auto [found, fresh] = callee.spots.try_emplace(device);
    if (!fresh) return found->second;
    const auto all = [&](const std::vector<ValueId>& ids) {
      std::vector<PlacedValues::Spot> spots;
      for (const ValueId id : ids) spots.push_back(placed_.spot(id, device));
      return spots;
    };
    return found->second = {all(callee.outlined.parameters), all(callee.outlined.sums), all(callee.outlined.results)};
  }

  // Sends the results of a task to the other stages that need them.
  void forward_results(const PlacedTask& task) {
    if (functions_.is_empty(task)) return;
    const int part = program_.plan.part(task.task);
    const int pipe = program_.plan.pipe_of(task.task.chunk);
    for (const auto& [id, stages] : functions_.any(task).sent) {
      for (const int stage : stages) carried_.send(id, part, program_.devices.of(pipe, stage));
    }
    for (const ValueId id : functions_.any(task).outlined.results) carried_.transfer_from(id, part);
  }

  void result(size_t i, std::vector<ValueId>& results) {
    const ValueId id     = function_.results[i];
    const Layout& layout = program_.values[ir::index(id)].layout;
    const int home       = functions_.home(id);
    if (layout.is_split()) {
      for (int part = 0; part < program_.run; ++part) {
        results.push_back(carried_.get(id, part, program_.devices.of(program_.pipe_of(part), home)));
        distributed_.results.push_back({static_cast<int32_t>(i), layout, program_.microbatches, part});
      }
      return;
    }
    const bool own = home != StageFunctions::kNowhere && program_.slot(id, 0) != kEveryMicrobatch;
    results.push_back(own ? carried_.get(id, 0, program_.devices.of(0, home)) : update_.total(id, -1));
    distributed_.results.push_back({static_cast<int32_t>(i), Layout::whole(), 1, 0});
  }

  const PipelinedProgram& program_;
  const ir::Function& function_;
  StageOutliner outliner_;
  StageFunctions functions_;
  ir::FunctionBuilder builder_;
  PlacedValues placed_;
  ValueSources sources_;
  ScatteredSends scattered_;
  CarriedValues carried_;
  StepUpdate update_;
  Begun begun_{outliner_};
  Distributed distributed_;
};

}  // namespace

Distributed run_schedule(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted,
                         const schedule::Plan& plan, const DecidedStages* decided) {
  const PipelinedProgram program(module, wanted, plan, decided);
  return Pipeliner(program, ops, wanted, decided != nullptr ? decided->groups : std::vector<int>())
      .run(wanted.marks_ends, wanted.shares_functions);
}

}  // namespace foreflow::transform
