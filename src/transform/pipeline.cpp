#include <map>
#include <set>
#include <utility>

#include "foreflow/ir/text.h"
#include "foreflow/schedule/plan.h"
#include "foreflow/transform/passes.h"
#include "pass_arguments.h"
#include "stage_function.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

constexpr int kEveryMicrobatch = -1;  // a value that does not depend on the microbatch: weights, sums

// Writes the main function: calls of the stage functions in the order of the schedule, with sends between them.
class Pipeliner {
 public:
  Pipeliner(const ir::Module& module, const ir::OpTable& ops, int stages, int microbatches,
            const schedule::ScheduleDef& schedule, const std::vector<double>& shares)
      : module_(module),
        function_(module.entry()),
        layouts_(interpret_layouts(module, microbatches, "microbatches")),
        values_(layouts_.entry().values),
        staged_(assign_stages(module, function_, values_, shares)),
        ops_(ops),
        stages_(stages),
        microbatches_(microbatches),
        schedule_(schedule),
        builder_(function_.name, ops),
        at_(function_.values.size()) {}

  Distributed run() {
    check_schedule();
    check_ops();
    count_devices();
    find_sums();
    outline_stages();
    place_state();
    for (size_t i = 0; i < function_.parameters.size(); ++i) parameter(i);
    schedule::Plan plan = schedule::plan(schedule_, {.devices = stages_, .microbatches = microbatches_});
    if (backward_.empty()) plan = schedule::forward_only(std::move(plan));
    const std::vector<schedule::PlacedTask> tasks = schedule::linearize(plan);
    make_room(tasks);
    for (size_t begin = 0; begin < tasks.size();) {
      size_t end = begin;
      while (end < tasks.size() && tasks[end].start == tasks[begin].start) ++end;
      for (size_t i = begin; i < end; ++i) call(tasks[i]);
      std::vector<schedule::PlacedTask> moment(tasks.data() + begin, tasks.data() + end);
      std::sort(moment.begin(), moment.end(), [](const auto& a, const auto& b) { return a.stage < b.stage; });
      for (const auto& task : moment) forward_results(task);
      begin = end;
    }
    for (size_t o = 0; o < staged_.size(); ++o) {
      if (staged_[o].phase == StagePhase::update) update(function_.ops[o]);
    }
    std::vector<ValueId> results;
    for (size_t i = 0; i < function_.results.size(); ++i) result(i, results);
    distributed_.module.functions.push_back(builder_.finish(std::move(results)));
    distributed_.module.source = module_.source;
    ir::verify(distributed_.module);
    return std::move(distributed_);
  }

 private:
  // Devices that hold one stage each, and whole backwards, are all that is written here.
  void check_schedule() const {
    const std::string name(schedule_.name);
    if (schedule_.chunks != 1) {
      throw Error("pipeline", "schedule " + name + " has several virtual stages a device, which the pass does not write; use 1f1b");
    }
    if (schedule_.splits_backward) {
      throw Error("pipeline", "schedule " + name + " splits the backward, which the pass does not write; use 1f1b");
    }
    const auto is_backward = [](const StagedOp& op) { return op.phase == StagePhase::backward; };
    if (!schedule_.trains && std::any_of(staged_.begin(), staged_.end(), is_backward)) {
      throw Error("pipeline", "schedule " + name + " runs no backward, and the program has one; use 1f1b");
    }
  }

  void check_ops() const {
    Judge judge_once(microbatches_);
    for (size_t o = 0; o < staged_.size(); ++o) {
      const bool once = staged_[o].phase == StagePhase::update;
      if (!once && !judge_once(function_, function_.ops[o], values_).as_it_arrives) {
        mixes_samples(module_, function_, function_.ops[o], "microbatches");
      }
    }
  }

  void count_devices() {
    for (const LaidOut& value : values_) group_ = std::max(group_, ir::device_of(value.value.type).index);
  }

  // Device `device` of the program, in the group of `stage`.
  ir::Device on_stage(const ir::Device& device, int stage) const {
    ir::Device placed = device;
    placed.index      = std::max(device.index, 1) + stage * group_;
    return placed;
  }

  // The values of the new function that one of the old is on a stage; none: not there yet.
  struct OnStage {
    int stage;
    ValueId shared;            // by all microbatches
    std::vector<ValueId> own;  // by microbatch; empty where there are none
  };

  // Every function twice: for the first microbatch and, where it sums, for the later ones.
  struct StageFunction {
    Outlined outlined;                                       // Sums::begin
    size_t begin, add;                                       // function numbers
    std::vector<std::pair<ValueId, std::vector<int>>> sent;  // results that other stages need, and which
  };

  StageFunction stage_function(StagePhase phase, int stage) {
    auto& functions = distributed_.module.functions;
    StageFunction made{
        outline_stage(function_, staged_, values_, phase, stage, microbatches_, summed_, Sums::begin, ops_),
        functions.size(),
        functions.size(),
        {}};
    functions.push_back(std::move(made.outlined.function));
    if (microbatches_ == 1 || made.outlined.sums.empty()) return made;
    made.add = functions.size();
    functions.push_back(
        outline_stage(function_, staged_, values_, phase, stage, microbatches_, summed_, Sums::add, ops_).function);
    return made;
  }

  void outline_stages() {
    for (int stage = 0; stage < stages_; ++stage) forward_.push_back(stage_function(StagePhase::forward, stage));
    const bool trains = std::any_of(staged_.begin(), staged_.end(),
                                    [](const StagedOp& op) { return op.phase == StagePhase::backward; });
    for (int stage = 0; trains && stage < stages_; ++stage)
      backward_.push_back(stage_function(StagePhase::backward, stage));
    for (const auto* side : {&forward_, &backward_}) {
      for (size_t stage = 0; stage < side->size(); ++stage) {
        for (const ValueId id : (*side)[stage].outlined.parameters) {
          readers_[id].insert(static_cast<int>(stage));
          if (ir::index(id) < function_.parameters.size()) home_.emplace(id, static_cast<int>(stage));
        }
        for (const ValueId id : (*side)[stage].outlined.results) home_.emplace(id, static_cast<int>(stage));
      }
    }
    for (auto* side : {&forward_, &backward_}) {
      for (StageFunction& made : *side) find_sent(made);
    }
  }

  void find_sent(StageFunction& made) const {
    for (const ValueId id : made.outlined.results) {
      const auto readers = readers_.find(id);
      if (readers != readers_.end())
        made.sent.emplace_back(id, std::vector<int>(readers->second.begin(), readers->second.end()));
    }
  }

  // For the calls, which are nearly all of the program.
  void make_room(const std::vector<schedule::PlacedTask>& tasks) {
    size_t ops = 0, values = 0, operands = 0;
    for (const schedule::PlacedTask& task : tasks) {
      const StageFunction& callee = function_of(task);
      const size_t sent           = callee.sent.size();
      ops += 1 + sent;
      values += callee.outlined.results.size() + sent;
      operands += callee.outlined.parameters.size() + callee.outlined.sums.size() + sent;
    }
    builder_.reserve(ops, values, operands);
  }

  // Optimizer state lives with its weight.
  void place_state() {
    for (size_t o = 0; o < staged_.size(); ++o) {
      const auto inputs = function_.inputs(function_.ops[o]);
      if (staged_[o].phase != StagePhase::update || inputs.empty() || !home_.contains(inputs[0])) continue;
      for (const ValueId id : inputs) {
        if (id != ValueId::none && ir::index(id) < function_.parameters.size()) home_.emplace(id, home_.at(inputs[0]));
      }
    }
  }

  // Sums over microbatches that the update or the results need.
  void find_sums() {
    summed_.resize(function_.values.size());
    const auto mark = [&](ValueId id) { summed_[ir::index(id)] = values_[ir::index(id)].layout.is_partial(); };
    for (size_t o = 0; o < staged_.size(); ++o) {
      if (staged_[o].phase != StagePhase::update) continue;
      for (const ValueId id : function_.inputs(function_.ops[o])) {
        if (id != ValueId::none) mark(id);
      }
    }
    for (const ValueId id : function_.results) mark(id);
    shared_ = microbatches_ == 1 ? std::vector<bool>(summed_.size(), true) : summed_;
    for (size_t i = 0; i < function_.parameters.size(); ++i) shared_[i] = shared_[i] || !values_[i].layout.is_split();
  }

  void parameter(size_t i) {
    const auto id             = static_cast<ValueId>(i);
    const LaidOut& value      = values_[i];
    const auto home           = home_.find(id);
    const int stage           = home == home_.end() ? 0 : home->second;
    const bool is_split       = value.layout.is_split();
    const int pieces          = is_split ? microbatches_ : 1;
    const ir::Type local_here = local_type(value.value.type, value.layout, microbatches_);
    const ir::Type type       = ir::moved(local_here, on_stage(ir::device_of(local_here), stage));
    home_.emplace(id, stage);
    for (int k = 0; k < pieces; ++k) {
      const std::string name =
          pieces == 1 ? function_.values[i].name : function_.values[i].name + "." + std::to_string(k + 1);
      at(id, slot(id, k), stage) = builder_.parameter(name, function_.parameters[i], type);
      distributed_.parameters.push_back({static_cast<int32_t>(i), value.layout, pieces, k});
    }
  }

  int slot(ValueId id, int microbatch) const { return shared_[ir::index(id)] ? kEveryMicrobatch : microbatch; }

  // The value of the new function for one on a stage; none: not there yet.
  ValueId& at(ValueId id, int microbatch, int stage) {
    auto& stages = at_[ir::index(id)];
    const auto found =
        std::find_if(stages.begin(), stages.end(), [stage](const OnStage& entry) { return entry.stage == stage; });
    OnStage& here = found != stages.end() ? *found : stages.emplace_back(OnStage{stage, ValueId::none, {}});
    if (microbatch == kEveryMicrobatch) return here.shared;
    if (here.own.empty()) here.own.resize(static_cast<size_t>(microbatches_), ValueId::none);
    return here.own[static_cast<size_t>(microbatch)];
  }

  // The value on a stage, sent there when it is first needed.
  ValueId get(ValueId id, int microbatch, int stage) {
    microbatch          = slot(id, microbatch);
    const ValueId known = at(id, microbatch, stage);
    if (known != ValueId::none) return known;
    const ValueId source = at(id, microbatch, home_.at(id));
    FOREFLOW_CHECK(source != ValueId::none,
                   "%" + function_.value(id).name + " is made before it is sent to stage " + std::to_string(stage + 1));
    const ir::Device to              = on_stage(ir::device_of(values_[ir::index(id)].value.type), stage);
    return at(id, microbatch, stage) = builder_.op("Send", {source}, {{"to", to}});
  }

  const StageFunction& function_of(const schedule::PlacedTask& task) const {
    return (task.task.phase == schedule::Phase::forward ? forward_ : backward_)[static_cast<size_t>(task.stage)];
  }

  void call(const schedule::PlacedTask& task) {
    const StageFunction& callee = function_of(task);
    const int microbatch        = task.task.microbatch;
    const auto& sums            = callee.outlined.sums;
    std::vector<ValueId> arguments;
    arguments.reserve(callee.outlined.parameters.size() + sums.size());
    for (const ValueId id : callee.outlined.parameters) arguments.push_back(get(id, microbatch, task.stage));
    const bool adds = !sums.empty() && at(sums[0], kEveryMicrobatch, task.stage) != ValueId::none;
    for (size_t i = 0; adds && i < sums.size(); ++i) arguments.push_back(at(sums[i], kEveryMicrobatch, task.stage));
    const auto results = builder_.call(adds ? callee.add : callee.begin, arguments, callee.outlined.results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      const ValueId id                         = callee.outlined.results[i];
      at(id, slot(id, microbatch), task.stage) = results[i];
    }
  }

  // Sends what other stages need of this task.
  void forward_results(const schedule::PlacedTask& task) {
    for (const auto& [id, stages] : function_of(task).sent) {
      for (const int stage : stages) get(id, task.task.microbatch, stage);
    }
  }

  // An op that runs once a step, on the stage of its weight; a sum of gradients on the first of their stages. An
  // optimizer of many weights (w1..wn, dw1..dwn) becomes one op a device.
  void update(const ir::Op& op) {
    const auto inputs = function_.inputs(op);
    if (op.def->role != ir::Role::optimizer || inputs.size() != size_t{2} * op.result_count)
      return update_on(op, inputs, results_of(op), update_stage(op));
    std::map<ir::Device, std::vector<size_t>> rows;
    for (size_t i = 0; i < op.result_count; ++i)
      rows[on_stage(ir::device_of(values_[ir::index(inputs[i])].value.type), home_.at(inputs[i]))].push_back(i);
    for (const auto& [device, members] : rows) {
      std::vector<ValueId> operands, results;
      for (const size_t row : members) operands.push_back(inputs[row]);
      for (const size_t row : members) operands.push_back(inputs[row + op.result_count]);
      for (const size_t row : members) results.push_back(function_.output(op, row));
      update_on(op, operands, results, home_.at(operands[0]));
    }
  }

  std::vector<ValueId> results_of(const ir::Op& op) const {
    std::vector<ValueId> results;
    for (uint32_t i = 0; i < op.result_count; ++i) results.push_back(function_.output(op, i));
    return results;
  }

  int update_stage(const ir::Op& op) const {
    const auto inputs = function_.inputs(op);
    int stage         = home_.at(inputs[0]);
    if (op.def->role == ir::Role::optimizer) return stage;
    for (const ValueId id : inputs) stage = std::min(stage, home_.at(id));
    return stage;
  }

  void update_on(const ir::Op& op, std::span<const ValueId> inputs, const std::vector<ValueId>& results, int stage) {
    std::vector<ValueId> operands;
    for (const ValueId id : inputs) operands.push_back(get(id, kEveryMicrobatch, stage));
    const auto first = static_cast<int32_t>(builder_.append(op.def, -1, op.attributes, operands, results.size()));
    for (size_t i = 0; i < results.size(); ++i) {
      at(results[i], kEveryMicrobatch, stage) = static_cast<ValueId>(first + static_cast<int32_t>(i));
      home_[results[i]]                       = stage;
    }
  }

  void result(size_t i, std::vector<ValueId>& results) {
    const ValueId id     = function_.results[i];
    const Layout& layout = values_[ir::index(id)].layout;
    if (layout.is_split()) {
      for (int k = 0; k < microbatches_; ++k) {
        results.push_back(get(id, k, home_.at(id)));
        distributed_.results.push_back({static_cast<int32_t>(i), layout, microbatches_, k});
      }
      return;
    }
    const bool once = at(id, kEveryMicrobatch, home_.at(id)) != ValueId::none;
    results.push_back(get(id, once ? kEveryMicrobatch : 0, home_.at(id)));
    distributed_.results.push_back({static_cast<int32_t>(i), Layout::whole(), 1, 0});
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const LayoutInterpretation layouts_;
  const interpret::Values<LaidOut>& values_;
  const std::vector<StagedOp> staged_;
  const ir::OpTable& ops_;
  const int stages_, microbatches_;
  const schedule::ScheduleDef& schedule_;
  ir::FunctionBuilder builder_;
  int32_t group_ = 1;  // devices of the program before, and of each stage after
  std::vector<StageFunction> forward_, backward_;
  std::map<ValueId, int> home_;               // the stage where a value is made
  std::map<ValueId, std::set<int>> readers_;  // the stages whose functions need it
  std::vector<std::vector<OnStage>> at_;      // per value
  std::vector<bool> summed_;                  // per value: added up over the microbatches
  // Per value: not one microbatch's own. Parameters that are not split, sums, and everything when there is only one.
  std::vector<bool> shared_;
  Distributed distributed_;
};

}  // namespace

Distributed pipeline(const ir::Module& module, const ir::OpTable& ops, int stages, int microbatches,
                     const schedule::ScheduleDef& schedule, const std::vector<double>& shares) {
  const std::vector<double> equal(static_cast<size_t>(stages), 1.0);
  if (!shares.empty() && shares.size() != equal.size()) {
    throw Error("pipeline", std::to_string(shares.size()) + " shares for " + std::to_string(stages) +
                                " stages; write one for each");
  }
  return Pipeliner(module, ops, stages, microbatches, schedule, shares.empty() ? equal : shares).run();
}

namespace definitions {
PassDef pipeline() {
  return {"pipeline",
          "pipeline parallelism over pp stages and a number of microbatches, in the order of a schedule",
          {"pp", "microbatches", "schedule"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            const auto& schedule =
                schedule::schedules().get(word_argument(arguments, "schedule", "1f1b"), "--pass pipeline: schedule");
            return transform::pipeline(module, ops, degree_argument(arguments, "pp", 1),
                                       degree_argument(arguments, "microbatches", 1), schedule)
                .module;
          }};
}
}  // namespace definitions

}  // namespace foreflow::transform
