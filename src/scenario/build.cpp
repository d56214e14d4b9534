#include <algorithm>

#include "foreflow/binary/program_file.h"
#include "foreflow/interpret/flops.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/run.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/overlap.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/replica.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/spread.h"
#include "foreflow/transform/tensor.h"
#include "scenario/fit_recompute.h"
#include "scenario/gpt_graph.h"
#include "scenario/program.h"
#include "scenario/stage_cut.h"
#include "scenario/stage_prices.h"

namespace foreflow::scenario {
namespace {

std::string where(const Scenario& scenario, const std::string& path) { return scenario.root().where() + "." + path; }

Sequential from_family(const Scenario& scenario) {
  const bool inference = scenario.workload.mode == workload::Mode::inference;
  const JsonView root  = scenario.root();
  const bool has_graph =
      scenario.workload.family->traits.infers_by_export && inference && !root.at("workload").has("phase");
  if (has_graph) return gpt_inference(scenario);
  const Workload& workload = scenario.workload;
  workload::Model model    = workload.family->build(
         {root.at("workload"), scenario.strategy.global_batch, *workload.dtype, workload.mode}, ops::table());
  Sequential sequential;
  sequential.module            = std::move(model.module);
  sequential.tokens_per_sample = model.tokens_per_sample;
  return sequential;
}

void check_known_shapes(const Scenario& scenario, const onnx::Imported& imported, const ir::Module& module) {
  const ir::Function& function = module.entry();
  for (const onnx::Port& input : imported.inputs) {
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      const ir::Value& value = function.values[i];
      if (value.name != input.value || (value.annotation != nullptr && value.annotation->resolved())) continue;
      std::string dims;
      for (const std::string& dim : input.dimensions) dims += (dims.empty() ? "" : ", ") + dim;
      throw Error(where(scenario, "workload.shapes"), "the model leaves the shape of input \"" + input.name +
                                                          "\" open: [" + dims + "]; give it as numbers");
    }
  }
}

Sequential from_onnx(const Scenario& scenario) {
  const onnx::Imported imported = onnx::import_model(scenario.workload.path, ops::table(), onnx::Numbers::skip,
                                                     {.shapes = scenario.workload.shapes, .inputs = {}});
  Sequential sequential;
  sequential.module = with_shapes(imported, scenario.workload.shapes, where(scenario, "workload.shapes"));
  check_known_shapes(scenario, imported, sequential.module);
  if (scenario.workload.dtype) sequential.module = with_dtype(sequential.module, *scenario.workload.dtype);
  return sequential;
}

Sequential from_distir(const Scenario& scenario) {
  const std::string& path = scenario.workload.path;
  const ir::Module module = binary::read_program(path, ops::table());
  Sequential sequential;
  sequential.module = ending_at(module, ir::find_entry(module, scenario.workload.function));
  sequential.placed = is_placed(sequential.module);
  if (scenario.workload.dtype) sequential.module = with_dtype(sequential.module, *scenario.workload.dtype);
  return sequential;
}

Sequential from_source(const Scenario& scenario) {
  switch (scenario.workload.source) {
    case Workload::Source::family: return from_family(scenario);
    case Workload::Source::onnx: return from_onnx(scenario);
    case Workload::Source::distir: return from_distir(scenario);
  }
  return {};
}

// The scenario's global batch, else the first dimension of the first data input.
int64_t samples_of(const Scenario& scenario, const ir::Module& module) {
  if (scenario.strategy.global_batch > 0) return scenario.strategy.global_batch;
  const ir::Function& function = module.entry();
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::TypeRef& type = function.values[i].annotation;
    if (function.parameters[i] == ir::ParameterRole::weight || type == nullptr || !type->is_tensor()) continue;
    if (type->ranked && !type->dims.empty() && type->dims[0] > 0) return type->dims[0];
  }
  return 1;
}

ir::Module with_training(const Scenario& scenario, const ir::Module& module) {
  const Workload& workload = scenario.workload;
  const ir::OpTable& ops   = ops::table();
  // Exporters write some weights as constants; and of what a model returns, training needs the loss alone.
  const bool imported = workload.source == Workload::Source::onnx;
  ir::Module model    = imported ? transform::join_slices(transform::lift_constants(module, ops), ops) : module;
  if (imported || !workload.loss.empty()) {
    model = transform::add_loss(model, ops, workload.loss.empty() ? "sum" : workload.loss, workload.output,
                                workload.loss_axis);
  }
  const ir::Module gradients = transform::differentiate(model, ops, workload.gradients_of, workload.weights);
  return transform::add_optimizer(gradients, ops, workload.optimizer, workload.precision, workload.weights);
}

// Shape arithmetic becomes constants. The cost model of DistIR's authors charges for what computed them, so there it
// stays.
ir::Module simplified(const Scenario& scenario, const ir::Module& module) {
  ir::Module resolved = transform::resolve(module);
  return scenario.cost.removes_dead_code ? transform::eliminate_dead_code(resolved) : resolved;
}

void check_undistributed(const Scenario& scenario) {
  const Strategy& strategy = scenario.strategy;
  if (strategy.devices() == 1 && strategy.microbatches == 1) return;
  throw Error(where(scenario, "strategy"),
              scenario.workload.path +
                  " already says which device each value lives on; leave dp, tp, pp and microbatches at 1");
}

transform::Pipeline pipeline_of(const ir::Module& module, const Scenario& scenario,
                                const platform::Platform& platform) {
  const Strategy& strategy = scenario.strategy;
  return {.schedule               = strategy.schedule,
          .size                   = strategy.schedule_size,
          .delay_weight_gradients = strategy.delay_weight_gradients,
          .partition              = strategy.partition,
          .shares = strategy.shares.empty() ? shares_by_speed(module, scenario, platform) : strategy.shares,
          .prices = stage_prices(scenario, platform),
          .places = strategy.places};
}

// What cannot be a pipeline so is the strategy's mistake: its schedule, its stages, or the microbatches of an op.
template <typename Pass>
auto blamed(const Scenario& scenario, const Pass& pass) {
  const auto blame = [&](const char* key, const std::string& why) {
    return Error(where(scenario, std::string("strategy.") + key), why);
  };
  try {
    return pass();
  } catch (const Error& error) {
    if (error.where() == "pipeline: schedule") throw blame("schedule", error.problem());
    if (error.where() == "pipeline: stages") throw blame("pp", error.problem());
    throw blame("microbatches", error.what());
  }
}

ir::Module pipelined(const ir::Module& module, const Scenario& scenario, const platform::Platform& platform) {
  return blamed(scenario, [&] {
    return transform::pipeline(module, ops::table(), pipeline_of(module, scenario, platform)).module;
  });
}

}  // namespace

void check_one_job(const Scenario& scenario) {
  if (scenario.jobs.empty()) return;
  throw Error(where(scenario, "jobs"),
              "several jobs share the platform, which only simulate and sweep can do; leave one workload and strategy");
}

namespace {

// What a pass cannot do is the mistake of the key of the strategy that asked for it.
template <typename Pass>
auto asked_for_by(const std::string& key, const Scenario& scenario, const Pass& pass) {
  try {
    return pass();
  } catch (const Error& error) {
    if (error.where().starts_with(scenario.root().where())) throw;
    const bool plan = error.where() == scenario.strategy.tensor_plan.where;  // a file
    throw Error(where(scenario, plan ? "strategy.tensor_plan" : "strategy." + key), error.what());
  }
}

ir::Module made_ready(const Scenario& scenario, const ir::Module& module) {
  return simplified(scenario,
                    scenario.workload.mode == workload::Mode::training ? with_training(scenario, module) : module);
}

Flops flops_of(const ir::Module& module) {
  return interpret::total_flops(module, interpret::interpret_mixed(module, module.functions.size() - 1));
}

}  // namespace

Sequential build(const Scenario& scenario) {
  check_one_job(scenario);
  Sequential sequential = from_source(scenario);
  sequential.samples    = samples_of(scenario, sequential.module);
  if (sequential.placed) {
    check_undistributed(scenario);
    sequential.model_flops = flops_of(sequential.module);
    return sequential;
  }
  const ir::Module model = std::move(sequential.module);
  sequential.module      = made_ready(scenario, model);
  sequential.model_flops = flops_of(sequential.module);  // whatever attention does twice, or leaves out
  if (scenario.strategy.fuses_attention()) {
    sequential.module = made_ready(scenario, asked_for_by("context_attention", scenario, [&] {
                                     return transform::fuse_attention(transform::resolve(model), ops::table());
                                   }));
  }
  return sequential;
}

namespace {

// What one stage of one replica would do, were it alone.
ir::Module before_pipeline(const Sequential& sequential, const Scenario& scenario) {
  const Strategy& strategy = scenario.strategy;
  const ir::OpTable& ops   = ops::table();
  const int stages         = schedule::stages(strategy.schedule->placement, strategy.schedule_size);
  ir::Module module        = asked_for_by(
             "recompute", scenario, [&] { return transform::recompute(sequential.module, ops, strategy.recompute, stages); });
  module          = asked_for_by("tp", scenario,
                                 [&] { return transform::shard(module, ops, strategy.tp, strategy.sharding()).module; });
  const int parts = strategy.sequence_parallel ? strategy.tp : 1;
  for (const transform::SpreadStep& step :
       transform::spread_steps(strategy.cp, strategy.ep, parts, strategy.context_attention)) {
    module = asked_for_by(step.spread.dim == 0 || strategy.cp == 1 ? "ep" : "cp", scenario,
                          [&] { return transform::spread(module, ops, step.ways, step.spread).module; });
  }
  return module;
}

// Tensor and pipeline parallelism: what one replica does.
ir::Module of_replica(const Sequential& sequential, const Scenario& scenario, const platform::Platform& platform) {
  const Strategy& strategy = scenario.strategy;
  const ir::OpTable& ops   = ops::table();
  ir::Module module        = before_pipeline(sequential, scenario);
  if (strategy.pp > 1 || strategy.microbatches > 1) module = pipelined(module, scenario, platform);
  if (strategy.offload) module = asked_for_by("offload", scenario, [&] { return transform::offload(module, ops); });
  return module;
}

ir::Module with_streams(ir::Module module, const Strategy& strategy) {
  const ir::OpTable& ops = ops::table();
  if (strategy.fuses_attention()) module = transform::overlap_ring(module, ops);
  if (strategy.tp > 1 && strategy.tensor_chunks > 1)
    module = transform::overlap_tensor(module, ops, strategy.tensor_chunks);
  if (strategy.overlap_sends && strategy.pp > 1) module = transform::overlap_sends(module, ops);
  return module;
}

transform::DataParallel data_parallel(const Strategy& strategy) {
  return {.ways    = strategy.dp / transform::replicas_in_group(strategy.cp, strategy.ep),
          .zero    = strategy.zero,
          .overlap = strategy.overlap_gradients,
          .bucket  = strategy.bucket};
}

// One of the replicas that share gradients, states or weights, with its streams.
transform::OneReplica shared_replica(ir::Module module, const Scenario& scenario) {
  transform::OneReplica one;
  asked_for_by("dp", scenario, [&] {
    one        = transform::one_replica(module, ops::table(), data_parallel(scenario.strategy));
    one.module = with_streams(std::move(one.module), scenario.strategy);
  });
  return one;
}

// All devices do the same work in the same time.
bool is_uniform(const platform::Platform& platform) {
  const platform::Device& first = platform.devices()[0];
  return std::all_of(platform.devices().begin(), platform.devices().end(),
                     [&](const platform::Device& device) { return platform::same_speed(device, first); });
}

}  // namespace

ir::Module distribute(const Sequential& sequential, const Scenario& scenario, const platform::Platform& platform) {
  if (sequential.placed) return sequential.module;
  if (needs_fit(scenario))
    return distribute(sequential, with_fitted_recompute(sequential, scenario, platform), platform);
  ir::Module module                 = of_replica(sequential, scenario, platform);
  const transform::DataParallel how = data_parallel(scenario.strategy);
  if (how.shares()) {
    transform::OneReplica one = shared_replica(std::move(module), scenario);
    return transform::unfold(one, ops::table()).module;
  }
  if (how.ways > 1) {
    module =
        asked_for_by("dp", scenario, [&] { return transform::replicate(std::move(module), ops::table(), how).module; });
  }
  return with_streams(std::move(module), scenario.strategy);
}

transform::Cut cut(const Sequential& sequential, const Scenario& scenario, const platform::Platform& platform,
                   double repeated) {
  const ir::Module module    = before_pipeline(sequential, scenario);
  transform::Pipeline wanted = pipeline_of(module, scenario, platform);
  wanted.prices.op           = [price = std::move(wanted.prices.op), repeated](const ir::OpCall& call,
                                                                     std::span<const ir::Type> outputs) {
    return (call.attributes.find(std::string(transform::kRecompute)) == nullptr ? 1 : repeated) * price(call, outputs);
  };
  return blamed(scenario, [&] { return transform::cut(module, ops::table(), wanted); });
}

Distributed distribute_alike(const Sequential& sequential, const Scenario& scenario,
                             const platform::Platform& platform) {
  const transform::DataParallel how = data_parallel(scenario.strategy);
  if (sequential.placed || needs_fit(scenario) || !how.shares() || !is_uniform(platform))
    return {distribute(sequential, scenario, platform), 1};
  return {shared_replica(of_replica(sequential, scenario, platform), scenario).module, how.ways};
}

}  // namespace foreflow::scenario
