#include <algorithm>

#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"
#include "foreflow/binary/program_file.h"
#include "foreflow/interpret/flops.h"
#include "foreflow/ir/countable.h"
#include "foreflow/onnx/tensor_file.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/run.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/float_logits.h"
#include "foreflow/transform/fp8_products.h"
#include "foreflow/transform/overlap.h"
#include "foreflow/transform/parameters.h"
#include "foreflow/transform/pipeline.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/repeat_batch.h"
#include "foreflow/transform/replica.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/split_data.h"
#include "foreflow/transform/tensor.h"
#include "scenario/blame.h"
#include "scenario/distribution/fit_recompute.h"
#include "scenario/sequential/gpt_graph.h"
#include "scenario/sequential/program.h"

namespace foreflow::scenario {
namespace {

// Forward, and in the backward pass a product for the gradient of each of the two operands.
constexpr double kPassesInTraining = 3;

Sequential from_family(const Scenario& scenario) {
  const bool inference     = !scenario.workload.trains();
  const Workload& workload = scenario.workload;
  if (workload.family->traits.infers_by_export && inference && !workload.sizes.has("phase"))
    return gpt_inference(scenario);
  workload::Model model = workload.family->build(
      {workload.sizes, scenario.strategy.global_batch, *workload.dtype, workload.mode}, ops::table());
  Sequential sequential;
  sequential.module            = std::move(model.module);
  sequential.tokens_per_sample = model.tokens_per_sample;
  sequential.padding           = model.padding * (inference ? 1 : kPassesInTraining);
  return sequential;
}

// The first dimension of the first data input; 0 where there is none.
int64_t samples_in(const ir::Module& module) {
  const ir::Function& function = module.entry();
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::TypeRef& type = function.values[i].annotation;
    if (function.parameters[i] == ir::ParameterRole::weight || type == nullptr || !type->is_tensor()) continue;
    if (type->ranked && !type->dims.empty() && type->dims[0] > 0) return type->dims[0];
  }
  return 0;
}

// "workload": {"dims": {"batch": 8, "tokens": 512}}, as an example with the names of these dimensions; "" where one has
// no name.
std::string example_of_dims(const std::vector<std::string>& dimensions) {
  Json dims = Json::object();
  for (const std::string& name : dimensions) {
    if (name == "?") return "";
    if (name.find_first_not_of("0123456789") != std::string::npos && dims.find(name) == nullptr)
      dims.set(name, &name == &dimensions.front() ? 8 : 512);
  }
  return "\"workload\": {\"dims\": " + dims.dump_compact() + "}";
}

void check_known_shapes(const Scenario& scenario, const onnx::Imported& imported, const ir::Module& module) {
  const ir::Function& function = module.entry();
  for (const onnx::Port& input : imported.inputs) {
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      const ir::Value& value = function.values[i];
      if (value.name != input.value || (value.annotation != nullptr && value.annotation->resolved())) continue;
      const std::string example = example_of_dims(input.dimensions);
      throw Error(scenario.where("workload.shapes"),
                  "the model leaves the shape of input \"" + input.name + "\" open: [" + join(input.dimensions) +
                      "]; give it as numbers, or the sizes of its names in \"dims\"" +
                      (example.empty() ? "" : ", such as " + example));
    }
  }
}

using Elements = std::map<std::string, ir::Array>;  // of inputs, by their names

// The contents of files are read when they are needed, as the model is.
Elements elements_of(const Workload& workload) {
  Elements all;
  for (const auto& [input, elements] : workload.inputs)
    all.emplace(input, elements.file.empty() ? elements.numbers : onnx::read_tensor_file(elements.file).array);
  return all;
}

// Before the model is imported: control flow that lacks a number would hide a misspelled name. The elements of a
// sequence "s" are "s/0", "s/1", ..
void check_inputs(const Scenario& scenario, const Elements& inputs) {
  if (inputs.empty()) return;
  std::vector<std::string> names;
  for (const onnx::StatedPort& input : onnx::stated_inputs(scenario.workload.path)) names.push_back(input.name);
  for (const auto& input : inputs) {
    const std::string& name = input.first;
    const auto is_named     = [&](const std::string& known) { return name == known || name.starts_with(known + "/"); };
    if (std::any_of(names.begin(), names.end(), is_named)) continue;
    throw Error(scenario.where("workload.inputs"), "the model has no input \"" + name + "\"" +
                                                       (names.empty() ? ", nor any other" : suggestion(name, names)));
  }
}

// The shapes of inputs, stated or those of their elements.
std::map<std::string, ir::Dims> shapes_of(const Workload& workload, const Elements& inputs) {
  std::map<std::string, ir::Dims> shapes = workload.shapes;
  for (const auto& [name, numbers] : inputs) shapes.emplace(name, numbers.dims());
  return shapes;
}

// Returns advice on how the model gets the batch of the scenario: by another size that the scenario states for the
// dimension of samples; by the names of weights, if the model has none, so that no samples are counted along them; or
// by another model.
std::string advice_on_batch(const Scenario& scenario, const onnx::Imported& imported, const ir::Module& module,
                            int64_t samples) {
  const Workload& workload = scenario.workload;
  const std::string wanted = std::to_string(scenario.strategy.global_batch);
  for (const onnx::Port& input : imported.inputs) {
    if (input.dimensions.empty()) continue;
    const auto dim = workload.dims.find(input.dimensions[0]);
    if (dim != workload.dims.end() && dim->second == samples)
      return "; set workload.dims." + dim->first + " to " + wanted + " as well";
  }
  if (transform::count_parameters(module) == 0) return kNameWeights;
  return "; export the model with an open batch";
}

// A model for fewer samples than the scenario's batch is repeated for them.
ir::Module for_global_batch(const Scenario& scenario, const onnx::Imported& imported, const ir::Module& module) {
  const int64_t samples = samples_in(module);
  const int64_t wanted  = scenario.strategy.global_batch;
  if (wanted == 0 || samples == 0 || wanted == samples) return module;
  if (wanted % samples != 0) {
    const bool has_weights = transform::count_parameters(module) > 0;
    throw Error(scenario.where("strategy.global_batch"),
                std::to_string(wanted) + " is not the batch of the model, " + std::to_string(samples) +
                    ", nor a multiple of it; use one of these" + (has_weights ? "" : kNameWeights));
  }
  try {
    return transform::repeat_batch(module, ops::table(), wanted / samples);
  } catch (const Error& error) {
    throw Error(error.where(), error.problem() + advice_on_batch(scenario, imported, module, samples));
  }
}

Sequential from_onnx(const Scenario& scenario) {
  const Elements inputs = elements_of(scenario.workload);
  check_inputs(scenario, inputs);
  onnx::Imported imported = onnx::import_model(scenario.workload.path, ops::table(), onnx::Numbers::skip,
                                               {scenario.workload.shapes, inputs, scenario.workload.dims});
  Sequential sequential;
  imported.module = with_sizes(imported, {shapes_of(scenario.workload, inputs), scenario.workload.dims,
                                          scenario.where("workload.shapes"), scenario.where("workload.dims")});
  check_known_shapes(scenario, imported, imported.module);
  imported = with_samples_first(std::move(imported));
  // Some exporters write weights as constants.
  sequential.module = transform::lift_constants(imported.module, ops::table());
  // So do their names where a file has weights among its inputs.
  sequential.module = transform::with_weights(sequential.module, scenario.workload.weights);
  sequential.module = with_separate_samples(imported, sequential.module);
  sequential.module = for_global_batch(scenario, imported, sequential.module);
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

// The scenario's global batch, else that of the program.
int64_t samples_with(const Scenario& scenario, const ir::Module& module) {
  if (scenario.strategy.global_batch > 0) return scenario.strategy.global_batch;
  return std::max<int64_t>(samples_in(module), 1);
}

// If a file has its weights among its inputs, the first input may be one of them, which counts no samples. Then its
// first dimension differs from that of other inputs.
std::string remark_on_samples(const Scenario& scenario, const ir::Module& module) {
  if (scenario.workload.source != Workload::Source::onnx || transform::count_parameters(module) > 0) return "";
  const ir::Function& function = module.entry();
  const ir::Value* first       = nullptr;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::Value& input  = function.values[i];
    const ir::TypeRef& type = input.annotation;
    if (type == nullptr || !type->is_tensor() || !type->ranked || type->dims.empty() || type->dims[0] <= 0) continue;
    if (first == nullptr) first = &input;
    const int64_t samples = first->annotation->dims[0], others = type->dims[0];
    if (samples == others) continue;
    return "samples are counted along the first dimension of %" + first->name + ", " + std::to_string(samples) +
           ", and that of %" + input.name + " is " + std::to_string(others) + kNameWeights;
  }
  return "";
}

// Weights of 8-bit and 4-bit integers have no gradients; the scales beside them are no substitute.
void check_trainable(const Scenario& scenario, const ir::Module& module) {
  if (!scenario.workload.weights.empty()) return;
  const ir::Function& function = module.entry();
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::TypeRef& type = function.values[i].annotation;
    if (function.parameters[i] != ir::ParameterRole::weight || type == nullptr || !type->is_tensor()) continue;
    const ir::DType dtype = type->dtype;
    const bool narrow =
        dtype == ir::DType::i8 || dtype == ir::DType::u8 || dtype == ir::DType::i4 || dtype == ir::DType::u4;
    if (!narrow || type->dims.size() < 2) continue;
    throw Error(scenario.where("workload.mode"),
                "the model holds quantised weights, such as %" + function.values[i].name +
                    ", which training cannot update; train the model before it is quantised, or name the weights to "
                    "train in \"weights\"");
  }
}

ir::Module with_training(const Scenario& scenario, const ir::Module& module) {
  const Workload& workload = scenario.workload;
  const ir::OpTable& ops   = ops::table();
  // Exporters write some weights as constants, and training needs only the loss among the results.
  const bool imported = workload.source == Workload::Source::onnx;
  check_trainable(scenario, module);
  ir::Module model = imported ? transform::join_slices(transform::lift_constants(module, ops), ops) : module;
  if (imported || !workload.loss.empty()) {
    model = transform::add_loss(model, ops, workload.loss.empty() ? "sum" : workload.loss, workload.output,
                                workload.loss_axis);
  }
  const ir::Module gradients = transform::differentiate(model, ops, workload.gradients_of, workload.weights);
  return transform::add_optimizer(gradients, ops, workload.optimizer, workload.precision, workload.weights);
}

// Replaces shape arithmetic by constants. The ops that computed them stay if the cost model charges for them, as that
// of DistIR's authors does.
ir::Module simplified(const Scenario& scenario, const ir::Module& module) {
  ir::Module resolved = transform::resolve(module);
  if (scenario.cost.removes_dead_code) resolved = transform::eliminate_dead_code(resolved);
  const Workload& workload = scenario.workload;
  if (workload.float_logits) resolved = transform::with_float_logits(resolved, ops::table());
  if (!workload.fp8) return resolved;
  return transform::with_fp8_products(std::move(resolved), {.vocabulary = workload.size("vocabulary"),
                                                            .experts    = workload.size("experts"),
                                                            .updates    = workload.fp8_updates,
                                                            .inference  = !workload.trains()});
}

bool is_undistributed(const Strategy& strategy) { return strategy.devices() == 1 && strategy.microbatches == 1; }

// How attention is computed: ranks that share it need all of it fused, others what can be.
Json attention_key(const Strategy& strategy) {
  Json key = Json::array();
  key.push(transform::name(strategy.attention_used()));
  key.push(strategy.needs_fused_attention());
  key.push(strategy.copies_attention());
  return key;
}

ir::Module made_ready(const Scenario& scenario, const ir::Module& module) {
  return simplified(scenario, scenario.workload.trains() ? with_training(scenario, module) : module);
}

void count_arithmetic(Sequential& sequential) {
  const ir::Module& module = sequential.module;
  const auto by_type =
      interpret::flops_by_type(module, interpret::interpret_mixed(module, module.functions.size() - 1));
  Flops most;
  for (const auto& [dtype, flops] : by_type) {
    sequential.model_flops += flops;
    if (flops <= most) continue;
    most             = flops;
    sequential.dtype = dtype;
  }
}

// Says which number of the scenario makes a tensor of a family's model too large: the greatest one of the model, or the
// batch where that is greater.
Error too_large(const Scenario& scenario, const ir::UncountableError& error) {
  const workload::KeyValues& sizes = scenario.workload.sizes;
  const std::string key            = sizes.key_of_greatest();
  const int64_t size = key.empty() ? 0 : sizes.integer_or(key, 0), batch = scenario.strategy.global_batch;
  const std::string where = scenario.where(size < batch ? "strategy.global_batch" : "workload." + key);
  return {where, std::to_string(std::max(size, batch)) + " is too large: " + error.what()};
}

Expected<Sequential> sequential_of(const Scenario& scenario) {
  Sequential sequential = from_source(scenario);
  sequential.samples    = samples_with(scenario, sequential.module);
  sequential.remark     = remark_on_samples(scenario, sequential.module);
  if (sequential.placed) {
    if (!is_undistributed(scenario.strategy)) {
      return refused(scenario, Cause::value, "",
                     scenario.workload.path +
                         " already says which device each value lives on; leave dp, tp, pp and microbatches at 1");
    }
    count_arithmetic(sequential);
    return sequential;
  }
  const ir::Module model = std::move(sequential.module);
  sequential.parameters  = transform::count_parameters(model);
  sequential.module      = made_ready(scenario, model);
  // Before fused attention repeats or leaves out any.
  count_arithmetic(sequential);
  sequential.model_flops -= sequential.padding;
  if (scenario.strategy.attention_used() == transform::Attention::flash) {
    const bool shared = scenario.strategy.needs_fused_attention();
    const auto cores  = shared ? transform::Cores::all : transform::Cores::possible;
    const auto fused  = asked_for_by(shared ? "context_attention" : "attention", scenario, [&] {
      return transform::fuse_attention(transform::resolve(model), ops::table(), cores,
                                        scenario.strategy.copies_attention());
    });
    if (!fused) return fused.refusal();
    if (sequential.remark.empty()) sequential.remark = transform::remark_on_masks(*fused);
    sequential.module = made_ready(scenario, *fused);
  }
  if (scenario.workload.family == nullptr) sequential.layers = transform::count_layers(sequential.module);
  return sequential;
}

}  // namespace

void check_one_job(const Scenario& scenario) {
  if (scenario.jobs.empty()) return;
  throw Error(scenario.where("jobs"),
              "several jobs share the platform, which only simulate and sweep can do; leave one workload and strategy");
}

Expected<Sequential> try_build(const Scenario& scenario) {
  check_one_job(scenario);
  try {
    return sequential_of(scenario);
  } catch (const ir::UncountableError& error) {
    if (scenario.workload.source != Workload::Source::family) throw;
    throw too_large(scenario, error);
  }
}

Sequential build(const Scenario& scenario) { return try_build(scenario).value(); }

// Names all that sequential_of reads of a scenario.
std::string build_key(const Scenario& scenario) {
  const Strategy& strategy = scenario.strategy;
  Json key                 = Json::object();
  key.set("workload", part_text(scenario, "workload"));
  key.set("removes_dead_code", scenario.cost.removes_dead_code);
  key.set("batch", strategy.global_batch).set("attention", attention_key(strategy));
  // Only these may be placed already, and are then refused where they would be distributed.
  if (scenario.workload.source == Workload::Source::distir) key.set("undistributed", is_undistributed(strategy));
  return key.dump_compact();
}

int64_t samples_of(const Scenario& scenario) {
  if (scenario.strategy.global_batch > 0) return scenario.strategy.global_batch;
  return samples_with(scenario, from_source(scenario).module);
}

}  // namespace foreflow::scenario
