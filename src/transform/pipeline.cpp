#include "foreflow/transform/pipeline.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "foreflow/ir/text.h"
#include "pass_arguments.h"
#include "stage_function.h"
#include "step_update.h"
#include "weight_gradients.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using schedule::Phase;
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

bool splits_backward(const schedule::Plan& plan) {
  return std::any_of(plan.order.begin(), plan.order.end(), [](const auto& tasks) {
    return std::any_of(tasks.begin(), tasks.end(),
                       [](const schedule::Task& task) { return task.phase == Phase::weight_grad; });
  });
}

std::vector<StagedOp> stage(const ir::Module& module, const interpret::Values<LaidOut>& values, const Pipeline& wanted,
                            const schedule::Plan& plan) {
  std::vector<StagedOp> staged = assign_stages(module, values, wanted, plan);
  if (splits_backward(plan)) mark_weight_gradients(module.entry(), values, staged);
  return staged;
}

// Writes the main function: calls of the stage functions in the order of the schedule, with sends between them.
class Pipeliner {
 public:
  Pipeliner(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted, const schedule::Plan& plan)
      : module_(module),
        function_(module.entry()),
        plan_(plan),
        microbatches_(plan.size.microbatches),
        layouts_(interpret_layouts(module, microbatches_, "microbatches")),
        values_(layouts_.entry().values),
        staged_(stage(module, values_, wanted, plan)),
        summed_(find_sums(function_, staged_, values_)),
        outliner_(function_, staged_, values_, microbatches_, summed_, ops),
        builder_(function_.name, ops),
        placed_(builder_, values_, microbatches_),
        update_(builder_, function_, staged_, summed_, placed_) {}

  Distributed run() {
    check_ops();
    find_devices();
    find_shared();
    const std::vector<PlacedTask> tasks = schedule::linearize(plan_);
    outline_stages(tasks);
    find_readers();
    find_holders();
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
    ir::verify(distributed_.module);
    return std::move(distributed_);
  }

 private:
  void check_ops() const {
    Judge judge_once(microbatches_);
    for (size_t o = 0; o < staged_.size(); ++o) {
      const bool once = staged_[o].phase == StagePhase::update;
      if (!once && !judge_once(function_, function_.ops[o], values_).as_it_arrives) {
        mixes_samples(module_, function_, function_.ops[o], "microbatches");
      }
    }
  }

  void find_devices() {
    devices_.assign(static_cast<size_t>(plan_.pipes()), std::vector<int>(static_cast<size_t>(plan_.stages())));
    for (int device = 0; device < plan_.size.devices; ++device) {
      for (int chunk = 0; chunk < plan_.size.chunks; ++chunk)
        device_of(plan_.pipe_of(chunk), plan_.stage_of(device, chunk)) = device;
    }
  }

  int& device_of(int pipe, int stage) { return devices_[static_cast<size_t>(pipe)][static_cast<size_t>(stage)]; }
  int pipe_of(int part) const { return part < plan_.microbatches_of(0) ? 0 : 1; }

  // What is not one microbatch's own: parameters that are not split, sums, and everything when there is only one.
  void find_shared() {
    shared_ = microbatches_ == 1 ? std::vector<bool>(summed_.size(), true) : summed_;
    for (size_t i = 0; i < function_.parameters.size(); ++i) shared_[i] = shared_[i] || !values_[i].layout.is_split();
  }
  int slot(ValueId id, int part) const { return shared_[ir::index(id)] ? kEveryMicrobatch : part; }

  // A function for a task: it differs by the sums that exist when it is called.
  using Key = std::tuple<Phase, int, std::vector<bool>>;  // phase, stage, begun parts

  // Where a function's parameters, sums and results are on a device.
  struct Spots {
    std::vector<PlacedValues::Spot> parameters, sums, results;
  };

  struct StageFunction {
    Outlined outlined;
    size_t number;                                           // in the module
    std::vector<std::pair<ValueId, std::vector<int>>> sent;  // results that other stages need, and which
    std::map<int, Spots> spots;                              // by device
  };

  // The parts of a stage whose sums exist on a device, before each task of a list.
  class Begun {
   public:
    explicit Begun(const StageOutliner& outliner) : outliner_(outliner) {}
    Key before(const PlacedTask& task) {
      std::vector<bool>& begun = begun_.try_emplace({task.device, task.stage}, kParts).first->second;
      const Parts parts        = parts_of(task.task.phase);
      std::vector<bool> known(kParts);
      for (int part = parts.first; part <= parts.last; ++part) {
        const auto p = static_cast<size_t>(part);
        known[p]     = begun[p];
        begun[p]     = !outliner_.sums(task.stage, part).empty();
      }
      return {task.task.phase, task.stage, std::move(known)};
    }

   private:
    const StageOutliner& outliner_;
    std::map<std::pair<int, int>, std::vector<bool>> begun_;
  };

  void outline_stages(const std::vector<PlacedTask>& tasks) {
    Begun begun(outliner_);
    for (const PlacedTask& task : tasks) {
      if (!outliner_.is_empty(task.task.phase, task.stage)) functions_.try_emplace(begun.before(task));
    }
    for (auto& [key, made] : functions_) {
      const auto& [phase, stage, parts] = key;
      made.outlined                     = outliner_.outline(phase, stage, parts);
      made.number                       = distributed_.module.functions.size();
      distributed_.module.functions.push_back(std::move(made.outlined.function));
    }
  }

  void find_readers() {
    for (const auto& [key, made] : functions_) {
      const int stage = std::get<1>(key);
      for (const ValueId id : made.outlined.parameters) {
        readers_[id].insert(stage);
        if (ir::index(id) < function_.parameters.size()) home_.emplace(id, stage);
      }
      for (const ValueId id : made.outlined.results) home_.emplace(id, stage);
    }
    for (auto& [key, made] : functions_) {
      for (const ValueId id : made.outlined.results) {
        const auto readers = readers_.find(id);
        if (readers != readers_.end())
          made.sent.emplace_back(id, std::vector<int>(readers->second.begin(), readers->second.end()));
      }
    }
  }

  // The devices with a copy of each weight: those that read it; its optimizer state lives with it.
  void find_holders() {
    holders_.resize(function_.parameters.size());
    for (size_t i = 0; i < holders_.size(); ++i) {
      const auto readers = readers_.find(static_cast<ValueId>(i));
      if (readers == readers_.end()) continue;
      for (int pipe = 0; pipe < plan_.pipes(); ++pipe) {
        for (const int stage : readers->second) holders_[i].insert(device_of(pipe, stage));
      }
    }
    for (size_t o = 0; o < staged_.size(); ++o) {
      const auto inputs = function_.inputs(function_.ops[o]);
      if (staged_[o].phase != StagePhase::update || inputs.empty()) continue;
      if (inputs[0] == ValueId::none || ir::index(inputs[0]) >= holders_.size()) continue;
      for (const ValueId id : inputs) {
        if (id != ValueId::none && ir::index(id) < holders_.size() && holders_[ir::index(id)].empty())
          holders_[ir::index(id)] = holders_[ir::index(inputs[0])];
      }
    }
    for (auto& devices : holders_) {
      if (devices.empty()) devices.insert(0);
    }
  }

  // For the calls, which are nearly all of the program.
  void make_room(const std::vector<PlacedTask>& tasks) {
    size_t ops = 0, values = 0, operands = 0;
    Begun begun(outliner_);
    for (const PlacedTask& task : tasks) {
      if (outliner_.is_empty(task.task.phase, task.stage)) continue;
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
    const auto home      = home_.find(id);
    const int stage      = home == home_.end() ? 0 : home->second;
    const ir::Type local = local_type(value.value.type, value.layout, microbatches_);
    const auto declare   = [&](const std::string& suffix, int part, int device, int pieces, int index) {
      const ir::Type type = ir::moved(local, placed_.device_of(id, device));
      placed_.set(id, slot(id, part), device,
                  builder_.parameter(function_.values[i].name + suffix, function_.parameters[i], type));
      distributed_.parameters.push_back({static_cast<int32_t>(i), value.layout, pieces, index});
    };
    if (value.layout.is_split()) {
      for (int part = 0; part < microbatches_; ++part)
        declare("." + std::to_string(part + 1), part, device_of(pipe_of(part), stage), microbatches_, part);
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

  // The value on a device, sent there when it is first needed.
  ValueId get(ValueId id, int part, int device) {
    const int microbatch = slot(id, part);
    const ValueId known  = placed_.find(id, microbatch, device);
    if (known != ValueId::none) return known;
    const int from = microbatch == kEveryMicrobatch ? placed_.devices_of(id).at(0)
                                                    : device_of(pipe_of(part), home_.at(id));
    return placed_.send(id, microbatch, from, device);
  }

  void call(const PlacedTask& task) {
    if (outliner_.is_empty(task.task.phase, task.stage)) return;
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

  // Sends what other stages need of this task.
  void forward_results(const PlacedTask& task) {
    const auto made = functions_.lower_bound({task.task.phase, task.stage, {}});
    if (outliner_.is_empty(task.task.phase, task.stage)) return;
    const int part = plan_.part(task.task);
    for (const auto& [id, stages] : made->second.sent) {
      for (const int stage : stages) get(id, part, device_of(plan_.pipe_of(task.task.chunk), stage));
    }
  }

  void result(size_t i, std::vector<ValueId>& results) {
    const ValueId id     = function_.results[i];
    const Layout& layout = values_[ir::index(id)].layout;
    const auto home      = home_.find(id);
    if (layout.is_split()) {
      for (int part = 0; part < microbatches_; ++part) {
        results.push_back(get(id, part, device_of(pipe_of(part), home->second)));
        distributed_.results.push_back({static_cast<int32_t>(i), layout, microbatches_, part});
      }
      return;
    }
    const bool own = home != home_.end() && slot(id, 0) != kEveryMicrobatch;
    results.push_back(own ? get(id, 0, device_of(0, home->second)) : update_.total(id, -1));
    distributed_.results.push_back({static_cast<int32_t>(i), Layout::whole(), 1, 0});
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const schedule::Plan& plan_;
  const int microbatches_;
  const LayoutInterpretation layouts_;
  const interpret::Values<LaidOut>& values_;
  const std::vector<StagedOp> staged_;
  const std::vector<bool> summed_;
  StageOutliner outliner_;
  ir::FunctionBuilder builder_;
  PlacedValues placed_;
  StepUpdate update_;
  Begun begun_{outliner_};
  std::vector<std::vector<int>> devices_;  // by pipe and stage
  std::map<Key, StageFunction> functions_;
  std::map<ValueId, int> home_;               // the stage where a value is made, or a parameter first read
  std::map<ValueId, std::set<int>> readers_;  // the stages whose functions need it
  std::vector<std::set<int>> holders_;        // per parameter
  std::vector<bool> shared_;                  // per value
  Distributed distributed_;
};

bool has(const ir::Function& function, ir::Role role) {
  return std::any_of(function.ops.begin(), function.ops.end(),
                     [role](const ir::Op& op) { return !op.is_call() && op.def->role == role; });
}

// Backward begins with the gradient of a loss.
bool trains(const ir::Function& function) {
  const bool backward = has(function, ir::Role::loss_gradient);
  if (!backward && has(function, ir::Role::optimizer)) {
    throw Error("pipeline: schedule", "@" + function.name +
                                          " updates weights, but where its backward pass begins is not known: its loss "
                                          "is one number already; give the prediction and a kind of loss");
  }
  return backward;
}

schedule::Plan plan_of(const ir::Module& module, const Pipeline& wanted) {
  schedule::Plan plan = schedule::plan(*wanted.schedule, wanted.size);
  if (!trains(module.entry())) return schedule::forward_only(std::move(plan));
  if (!wanted.schedule->trains) {
    throw Error("pipeline: schedule", "the schedule " + std::string(wanted.schedule->name) +
                                " has no backward passes, but the program trains; use 1f1b");
  }
  if (!wanted.delay_weight_gradients) return plan;
  const std::string refusal = schedule::refuse_delay(*wanted.schedule);
  if (!refusal.empty()) throw Error("pipeline: schedule", refusal);
  return schedule::delay_weight_gradients(std::move(plan), 0);
}

// f(the program as the plan needs it): its two halves of a backward are different ops.
template <class F>
auto on_halves(const ir::Module& module, const ir::OpTable& ops, const schedule::Plan& plan, const F& f) {
  return splits_backward(plan) ? f(separate_products(module, ops)) : f(module);
}

}  // namespace

Distributed pipeline(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted) {
  const schedule::Plan plan = plan_of(module, wanted);
  return on_halves(module, ops, plan,
                   [&](const ir::Module& program) { return Pipeliner(program, ops, wanted, plan).run(); });
}

Cut cut(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted) {
  const schedule::Plan plan = plan_of(module, wanted);
  return on_halves(module, ops, plan, [&](const ir::Module& program) {
    const auto layouts = interpret_layouts(program, plan.size.microbatches, "microbatches");
    const auto staged  = assign_stages(program, layouts.entry().values, wanted, plan);
    return cut_of(program.entry(), staged, plan.stages());
  });
}

namespace definitions {
namespace {

bool yes(const PassArguments& arguments, const std::string& key) {
  const std::string word = word_argument(arguments, key, "false");
  if (word != "true" && word != "false") throw Error("--pass: " + key, "\"" + word + "\" is neither true nor false");
  return word == "true";
}

StagePartition partition(const PassArguments& arguments) {
  const std::string word = word_argument(arguments, "stage_partition", "balanced");
  if (word == "balanced") return StagePartition::balanced;
  if (word != "uniform") throw Error("--pass: stage_partition", "\"" + word + "\" is neither balanced nor uniform");
  return StagePartition::uniform;
}

}  // namespace

PassDef pipeline() {
  return {"pipeline",
          "pipeline parallelism: pp stages, microbatches, in the order of schedule; with virtual_stages a device, cut as "
          "stage_partition (balanced or uniform) says",
          {"pp", "microbatches", "schedule", "virtual_stages", "delay_weight_gradients", "stage_partition"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            const std::string where = "--pass pipeline";
            Pipeline wanted;
            wanted.schedule =
                &schedule::schedules().get(word_argument(arguments, "schedule", "1f1b"), where + ": schedule");
            std::optional<int> chunks;
            if (arguments.contains("virtual_stages")) chunks = degree_argument(arguments, "virtual_stages", 1);
            wanted.size = schedule::checked_size(*wanted.schedule, degree_argument(arguments, "pp", 1),
                                                 degree_argument(arguments, "microbatches", 1), chunks, where);
            wanted.delay_weight_gradients = yes(arguments, "delay_weight_gradients");
            wanted.partition              = partition(arguments);
            return transform::pipeline(module, ops, wanted).module;
          }};
}
}  // namespace definitions

}  // namespace foreflow::transform
