#include "transform/pipeline/pipeliner.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "foreflow/ir/replicas.h"
#include "foreflow/ir/verify.h"
#include "foreflow/schedule/play.h"
#include "transform/pipeline/replicated.h"
#include "transform/pipeline/stage_costs.h"
#include "transform/pipeline/stage_devices.h"
#include "transform/pipeline/step_update.h"
#include "transform/pipeline/weight_gradients.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using schedule::PlacedTask;

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
      groups.push_back({device, decided->groups[static_cast<size_t>(device)]});
    }
  }
  const schedule::Costs costs = stage_costs(function, staged, values, wanted.prices, parts, plan.stages(), groups);
  return schedule::delay_weight_gradients(plan, schedule::least_delay(plan, costs), costs);
}

// Writes the main function: calls of the stage functions in the order of the schedule, with sends between them.
class Pipeliner {
 public:
  Pipeliner(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted, const schedule::Plan& plan,
            const DecidedStages* decided)
      : module_(module),
        function_(module.entry()),
        microbatches_(wanted.size.microbatches),
        run_(plan.size.microbatches),
        layouts_(interpret_layouts(module, microbatches_, "microbatches")),
        values_(layouts_.entry().values),
        staged_(stage(module, values_, wanted, plan, decided)),
        plan_(delayed(function_, staged_, values_, wanted, plan, decided)),
        summed_(find_sums(function_, staged_, values_)),
        wide_(wide_sums(function_, staged_, summed_, devices_)),
        marks_ends_(wanted.marks_ends),
        scattered_(wanted.scattered),
        shards_(wanted.prices.shards),
        replicated_(scattered_ > 1 ? replicated_values(function_, values_, wanted.equal_parameters) : Replicated()),
        outliner_(function_, staged_, values_, microbatches_, summed_, wide_, ops),
        builder_(function_.name, ops),
        placed_(builder_, values_, run_, decided != nullptr ? decided->groups : std::vector<int>()),
        update_(builder_, function_, staged_, summed_, wide_, placed_, devices_) {
    find_transfers();
  }

  Distributed run() {
    check_ops();
    find_shared();
    const std::vector<PlacedTask> tasks = schedule::linearize(plan_);
    functions_.outline(tasks, distributed_.module, marks_ends_ ? plan_.stages() : 0);
    holders_ = holders_of(function_, staged_, functions_, devices_);
    distributed_.parameters.reserve(function_.parameters.size());
    for (size_t i = 0; i < function_.parameters.size(); ++i) parameter(i);
    make_room(tasks);
    for (size_t begin = 0; begin < tasks.size();) {
      size_t end = begin;
      while (end < tasks.size() && tasks[end].start == tasks[begin].start) ++end;
      for (size_t i = begin; i < end; ++i) call(tasks[i]);
      std::vector<PlacedTask> moment(tasks.data() + begin, tasks.data() + end);
      std::stable_sort(moment.begin(), moment.end(), [](const auto& a, const auto& b) { return a.stage < b.stage; });
      for (const auto& task : moment) forward_results(task);
      begin = end;
    }
    update_.run();
    std::vector<ValueId> results;
    for (size_t i = 0; i < function_.results.size(); ++i) result(i, results);
    distributed_.module.functions.push_back(builder_.finish(std::move(results)));
    distributed_.module.source = module_.source;
    ir::verify(distributed_.module, ir::Names::unique);
    return std::move(distributed_);
  }

 private:
  void check_ops() const {
    Judge judge_once(microbatches_);
    for (size_t o = 0; o < staged_.size(); ++o) {
      const bool once = staged_[o].phase == StagePhase::update;
      if (once ? reads_split(function_.ops[o]) : !judge_once(function_, function_.ops[o], values_).as_it_arrives) {
        mixes_samples(module_, function_, function_.ops[o], values_, microbatches_, "microbatches");
      }
    }
  }

  // Whether an op that runs after all microbatches reads what only one of them has.
  bool reads_split(const ir::Op& op) const {
    const auto inputs = function_.inputs(op);
    return std::any_of(inputs.begin(), inputs.end(),
                       [this](ValueId id) { return id != ValueId::none && values_[ir::index(id)].layout.is_split(); });
  }

  int pipe_of(int part) const { return part < plan_.microbatches_of(0) ? 0 : 1; }

  // Marks the values that all microbatches share:
  //
  // 1. parameters that are not split;
  // 2. sums over the microbatches;
  // 3. other values that the update reads (a gradient that depends on no data is the same for every microbatch);
  // 4. all values, if there is only one microbatch.
  void find_shared() {
    shared_ = microbatches_ == 1 ? std::vector<bool>(summed_.size(), true) : summed_;
    for (size_t i = 0; i < function_.parameters.size(); ++i) shared_[i] = shared_[i] || !values_[i].layout.is_split();
    for (size_t o = 0; o < staged_.size(); ++o) {
      if (staged_[o].phase != StagePhase::update) continue;
      for (const ValueId id : function_.inputs(function_.ops[o])) {
        if (id != ValueId::none && values_[ir::index(id)].layout.is_whole()) shared_[ir::index(id)] = true;
      }
    }
  }
  int slot(ValueId id, int part) const { return shared_[ir::index(id)] ? kEveryMicrobatch : part; }

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

  void parameter(size_t i) {
    const auto id        = static_cast<ValueId>(i);
    const LaidOut& value = values_[i];
    const int stage      = std::max(functions_.home(id), 0);  // 0: it is never read
    const ir::Type local = local_type(value.value.type, value.layout, microbatches_);
    const auto declare   = [&](const std::string& suffix, int part, int device, int pieces, int index) {
      const ir::Type type = ir::moved(local, placed_.device_of(id, device));
      placed_.set(id, slot(id, part), device,
                    builder_.parameter(function_.values[i].name + suffix, function_.parameters[i], type));
      distributed_.parameters.push_back({static_cast<int32_t>(i), value.layout, pieces, index});
    };
    if (value.layout.is_split()) {
      for (int part = 0; part < run_; ++part)
        declare("." + std::to_string(part + 1), part, devices_.of(pipe_of(part), stage), microbatches_, part);
      return;
    }
    if (function_.parameters[i] == ir::ParameterRole::data) return declare("", 0, *holders_[i].begin(), 1, 0);
    const auto copies = static_cast<int>(holders_[i].size());
    int copy          = 0;
    for (const int device : holders_[i]) {
      declare(copies == 1 ? "" : ".on" + std::to_string(device + 1), 0, device, copies, copy);
      ++copy;
    }
  }

  void find_transfers() {
    for (size_t o = 0; o < staged_.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      if (staged_[o].phase != StagePhase::transfer) continue;
      transfers_[function_.inputs(op)[0]].push_back(o);
      for (uint32_t i = 0; i < op.result_count; ++i) transferred_[function_.output(op, i)] = o;
    }
  }

  // The device where a value is made for a microbatch.
  int source_of(ValueId id, int part) const {
    if (const auto made = transferred_.find(id); made != transferred_.end())
      return devices_.of(pipe_of(part), staged_[made->second].stage);
    return slot(id, part) == kEveryMicrobatch ? placed_.devices_of(id).at(0)
                                              : devices_.of(pipe_of(part), functions_.home(id));
  }

  // The copy of a value on a device. It is sent there on first use.
  ValueId get(ValueId id, int part, int device) {
    const int microbatch = slot(id, part);
    const ValueId known  = placed_.find(id, microbatch, device);
    if (known != ValueId::none) return known;
    if (const auto made = transferred_.find(id); made != transferred_.end()) {
      transfer(made->second, part);
      if (const ValueId arrived = placed_.find(id, microbatch, device); arrived != ValueId::none) return arrived;
    }
    if (!is_scattered(id, part)) return placed_.send(id, microbatch, source_of(id, part), device);
    gather_parts(id, part, device);
    return placed_.find(id, microbatch, device);
  }

  // Whether the devices of a group send a value in parts.
  bool is_scattered(ValueId id, int part) const {
    if (scattered_ == 1 || slot(id, part) == kEveryMicrobatch || replicated_.group_of[ir::index(id)] < 0) return false;
    return scattered_axis(id) >= 0;
  }
  // The first dimension behind the samples that can be cut into `scattered_` parts; -1: there is none.
  int64_t scattered_axis(ValueId id) const {
    const ir::Dims dims = local(id).dims;
    for (size_t axis = 1; axis < dims.size(); ++axis) {
      if (dims[axis] % scattered_ == 0) return static_cast<int64_t>(axis);
    }
    return -1;
  }
  ir::Type local(ValueId id) const {
    return local_type(values_[ir::index(id)].value.type, values_[ir::index(id)].layout, microbatches_);
  }

  // Sends the parts of a value from the devices of a group to those of group `device`, if they are not on their way.
  const std::vector<ValueId>& send_parts(ValueId id, int part, int device) {
    const int32_t group       = replicated_.group_of[ir::index(id)];
    const auto [found, fresh] = arriving_.try_emplace({group, part, device});
    if (!fresh) return found->second;
    const auto& equal = replicated_.groups[static_cast<size_t>(group)];
    for (size_t i = 0; i < equal.size(); ++i) {
      const ValueId whole = placed_.find(equal[i], slot(equal[i], part), source_of(equal[i], part));
      const auto parts =
          builder_.emit("Split", {whole},
                        {{"axis", scattered_axis(id)}, {"num_outputs", int64_t{scattered_}}, {"placed", int64_t{1}}},
                        static_cast<size_t>(scattered_));
      found->second.push_back(builder_.op("Send", {parts[i]}, {{"to", placed_.device_of(equal[i], device)}}));
    }
    return found->second;
  }

  // Gathers them where they are needed.
  void gather_parts(ValueId id, int part, int device) {
    const std::vector<ValueId>& parts = send_parts(id, part, device);
    const auto& equal                 = replicated_.groups[static_cast<size_t>(replicated_.group_of[ir::index(id)])];
    ir::Attributes attributes{{"axis", scattered_axis(id)}};
    if (shards_ > 0) attributes.set(std::string(ir::kShards), int64_t{shards_});
    const auto wholes = builder_.emit("MPIAllgather", parts, std::move(attributes), parts.size());
    for (size_t i = 0; i < equal.size(); ++i) placed_.set(equal[i], slot(equal[i], part), device, wholes[i]);
  }

  // Writes a Reshard for a microbatch, from the stage that makes the operands to the one that receives.
  void transfer(size_t o, int part) {
    const ir::Op& op = function_.ops[o];
    const int to     = devices_.of(pipe_of(part), staged_[o].stage);
    const auto first = function_.output(op, 0);
    if (placed_.find(first, slot(first, part), to) != ValueId::none) return;
    std::vector<ValueId> operands;
    for (const ValueId id : function_.inputs(op)) operands.push_back(get(id, part, source_of(id, part)));
    placed_.reshard(function_, op, operands, slot(first, part), to);
  }

  void call(const PlacedTask& task) {
    if (functions_.is_empty(task)) return;
    StageFunction& callee    = functions_.at(begun_.before(task));
    const Outlined& outlined = callee.outlined;
    const Spots& spots       = spots_of(callee, task.device);
    const int part           = plan_.part(task.task);
    std::vector<ValueId> arguments;
    arguments.reserve(outlined.parameters.size() + outlined.sums.size());
    for (size_t i = 0; i < outlined.parameters.size(); ++i) {
      const ValueId id    = outlined.parameters[i];
      const ValueId known = placed_.at(spots.parameters[i], slot(id, part));
      arguments.push_back(known != ValueId::none ? known : get(id, part, task.device));
    }
    for (const PlacedValues::Spot spot : spots.sums) arguments.push_back(placed_.at(spot, kEveryMicrobatch));
    const auto first = static_cast<int32_t>(builder_.append(nullptr, static_cast<int32_t>(callee.number),
                                                            builder_.share({}), arguments, outlined.results.size()));
    for (size_t i = 0; i < outlined.results.size(); ++i) {
      placed_.set(spots.results[i], slot(outlined.results[i], part),
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
    const int part = plan_.part(task.task);
    const int pipe = plan_.pipe_of(task.task.chunk);
    for (const auto& [id, stages] : functions_.any(task).sent) {
      for (const int stage : stages) {
        if (is_scattered(id, part)) {
          send_parts(id, part, devices_.of(pipe, stage));
        } else {
          get(id, part, devices_.of(pipe, stage));
        }
      }
    }
    if (transfers_.empty()) return;
    for (const ValueId id : functions_.any(task).outlined.results) {
      const auto found = transfers_.find(id);
      if (found == transfers_.end()) continue;
      for (const size_t o : found->second) transfer(o, part);
    }
  }

  void result(size_t i, std::vector<ValueId>& results) {
    const ValueId id     = function_.results[i];
    const Layout& layout = values_[ir::index(id)].layout;
    const int home       = functions_.home(id);
    if (layout.is_split()) {
      for (int part = 0; part < run_; ++part) {
        results.push_back(get(id, part, devices_.of(pipe_of(part), home)));
        distributed_.results.push_back({static_cast<int32_t>(i), layout, microbatches_, part});
      }
      return;
    }
    const bool own = home != StageFunctions::kNowhere && slot(id, 0) != kEveryMicrobatch;
    results.push_back(own ? get(id, 0, devices_.of(0, home)) : update_.total(id, -1));
    distributed_.results.push_back({static_cast<int32_t>(i), Layout::whole(), 1, 0});
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const int microbatches_;  // that the batch is split into
  const int run_;           // of them
  const LayoutInterpretation layouts_;
  const interpret::Values<LaidOut>& values_;
  const std::vector<StagedOp> staged_;
  const schedule::Plan plan_;
  const std::vector<bool> summed_;
  const StageDevices devices_{plan_};
  const WideSums wide_;
  const bool marks_ends_;
  const int scattered_, shards_;  // as in Pipeline and StagePrices
  const Replicated replicated_;   // empty: nothing is scattered
  StageOutliner outliner_;
  ir::FunctionBuilder builder_;
  PlacedValues placed_;
  StepUpdate update_;
  Begun begun_{outliner_};
  StageFunctions functions_{function_, outliner_};
  std::map<std::tuple<int32_t, int, int>, std::vector<ValueId>> arriving_;  // parts, by group, microbatch and device
  std::vector<std::set<int>> holders_;                                      // per parameter
  std::vector<bool> shared_;                                                // per value
  std::map<ValueId, std::vector<size_t>> transfers_;                        // by their first operand
  std::map<ValueId, size_t> transferred_;                                   // by their results
  Distributed distributed_;
};

}  // namespace

bool splits_backward(const Pipeline& wanted, const schedule::Plan& plan) {
  return any_task(plan, schedule::Phase::weight_grad) || delays(wanted, plan);
}

Distributed run_schedule(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted,
                         const schedule::Plan& plan, const DecidedStages* decided) {
  return Pipeliner(module, ops, wanted, plan, decided).run();
}

}  // namespace foreflow::transform
