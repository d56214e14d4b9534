#include "foreflow/transform/pipeline.h"

#include <algorithm>

#include "foreflow/base/refusal.h"
#include "foreflow/base/text.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/stage_model.h"
#include "transform/pass_arguments.h"
#include "transform/pipeline/cuts/stages.h"
#include "transform/pipeline/pipeliner.h"
#include "transform/pipeline/program/pipelined_program.h"
#include "transform/pipeline/step_plan.h"

namespace foreflow::transform {
namespace {

bool has(const ir::Function& function, ir::Role role) {
  return std::any_of(function.ops.begin(), function.ops.end(),
                     [role](const ir::Op& op) { return !op.is_call() && op.def->role == role; });
}

// Backward begins with the gradient of a loss.
bool trains(const ir::Function& function) {
  const bool backward = has(function, ir::Role::loss_gradient);
  if (!backward && has(function, ir::Role::optimizer)) {
    throw RefusalError(Cause::schedule, "pipeline: schedule",
                       "@" + function.name +
                           " updates weights, but where its backward pass begins is not known: its loss "
                           "is one number already; give the prediction and a kind of loss");
  }
  return backward;
}

}  // namespace

schedule::Plan plan_of(const ir::Module& module, const Pipeline& wanted) {
  schedule::Size size = wanted.size;
  if (wanted.run > 0) size.microbatches = wanted.run;
  schedule::Plan plan = schedule::plan(*wanted.schedule, size);
  if (!trains(module.entry())) return schedule::forward_only(std::move(plan));
  if (!wanted.schedule->trains) {
    throw RefusalError(Cause::schedule, "pipeline: schedule",
                       "the schedule " + std::string(wanted.schedule->name) +
                           " has no backward passes, but the program trains; use 1f1b");
  }
  const std::string refusal = wanted.delay_weight_gradients ? schedule::refuse_delay(*wanted.schedule) : "";
  if (!refusal.empty()) throw RefusalError(Cause::schedule, "pipeline: schedule", refusal);
  return plan;
}

namespace {

// f(the program as the plan needs it): its two halves of a backward are different ops.
template <class F>
auto on_halves(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted, const schedule::Plan& plan,
               const F& f) {
  return splits_backward(wanted, plan) ? f(with_split_backward(module, ops)) : f(module);
}

}  // namespace

Distributed pipeline(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted) {
  const schedule::Plan plan = plan_of(module, wanted);
  return on_halves(module, ops, wanted, plan,
                   [&](const ir::Module& program) { return run_schedule(program, ops, wanted, plan); });
}

Cut cut(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted) {
  const schedule::Plan plan = plan_of(module, wanted);
  return on_halves(module, ops, wanted, plan, [&](const ir::Module& program) {
    const auto layouts = interpret_layouts(program, wanted.size.microbatches, "microbatches");
    const auto staged  = assign_stages(program, layouts.entry().values, wanted, plan);
    return cut_of(program.entry(), staged, plan.stages());
  });
}

namespace definitions::pipeline {
namespace {

StagePartition partition(const PassArguments& arguments) {
  const std::string word = word_argument(arguments, "stage_partition", "balanced");
  if (word == "balanced") return StagePartition::balanced;
  if (word == "uniform") return StagePartition::uniform;
  if (word == "layers") return StagePartition::layers;
  throw Error("--pass: stage_partition", "\"" + word + "\" is neither balanced, nor uniform, nor layers");
}

// A degree for each device of the schedule, as in "4:2"; 1 for all where the argument is missing.
std::vector<int> degrees(const PassArguments& arguments, const std::string& key, int devices) {
  const std::string text = word_argument(arguments, key, "");
  if (text.empty()) return std::vector<int>(static_cast<size_t>(devices), 1);
  std::vector<int> all;
  for (const std::string& word : split(text, ':')) {
    const auto ways = parse_number<int>(word);
    if (!ways || *ways < 1)
      throw Error("--pass: " + key, "\"" + word + "\" is no number of " + (key == "stage_tp" ? "shards" : "parts") +
                                        "; write one for each stage, like \"4:2\"");
    all.push_back(*ways);
  }
  if (static_cast<int>(all.size()) == devices) return all;
  throw Error("--pass: " + key, "has " + std::to_string(all.size()) + " degrees for pp = " + std::to_string(devices) +
                                    "; write one for each device of the pipeline");
}

std::vector<StageSharding> shards(const PassArguments& arguments, int devices) {
  const std::vector<int> tp = degrees(arguments, "stage_tp", devices), cp = degrees(arguments, "stage_cp", devices);
  std::vector<StageSharding> all;
  for (size_t i = 0; i < tp.size(); ++i) all.push_back({.ways = tp[i], .cp = cp[i]});
  return all;
}

}  // namespace

PassDef row() {
  return {"pipeline",
          "pipeline parallelism: pp stages, microbatches, in the order of schedule; with virtual_stages a device, cut "
          "as stage_partition (balanced, uniform or layers) says; stage_tp=4:2 shards the stages of a program of one "
          "device, and stage_cp=2:1 splits their sequences",
          {"pp", "microbatches", "schedule", "virtual_stages", "delay_weight_gradients", "stage_partition", "stage_tp",
           "stage_cp"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            const std::string where = "--pass pipeline";
            Pipeline wanted;
            wanted.schedule =
                &schedule::schedules().get(word_argument(arguments, "schedule", "1f1b"), where + ": schedule");
            std::optional<int> chunks;
            if (arguments.contains("virtual_stages")) chunks = degree_argument(arguments, "virtual_stages", 1);
            wanted.size = schedule::checked_size(*wanted.schedule, degree_argument(arguments, "pp", 1),
                                                 degree_argument(arguments, "microbatches", 1), chunks, where);
            wanted.delay_weight_gradients = flag_argument(arguments, "delay_weight_gradients");
            wanted.partition              = partition(arguments);
            if (arguments.contains("stage_tp") || arguments.contains("stage_cp"))
              return pipeline_of_shards(module, ops, wanted, shards(arguments, wanted.size.devices)).pipelined.module;
            return transform::pipeline(module, ops, wanted).module;
          }};
}
}  // namespace definitions::pipeline

}  // namespace foreflow::transform
