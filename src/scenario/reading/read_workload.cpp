#include <algorithm>

#include "foreflow/base/text.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/optimizers.h"
#include "foreflow/workload/preset.h"
#include "scenario/keys/sections.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

int64_t read_size(const JsonView& json) {
  const int64_t size = json.as_int();
  if (size < 0) json.fail("a dimension is 0 or more");
  return size;
}

ir::Dims read_dims(const JsonView& json) {
  std::vector<int64_t> dims;
  for (const JsonView& dim : json.items()) {
    dims.push_back(read_size(dim));
  }
  if (dims.size() > ir::Dims::kMaxRank)
    json.fail("has more than " + std::to_string(ir::Dims::kMaxRank) + " dimensions");
  return ir::Dims(dims);
}

void check_one_source(const JsonView& json) {
  std::string first;
  for (const char* key : {"onnx", "distir", "model"}) {
    if (!json.has(key)) continue;
    if (!first.empty()) json.at(key).fail("stands beside " + first + "; give one of them");
    first = key;
  }
}

// Refuses keys that are not in `legal`. Where another kind of workload has the key, the error names that kind.
void allow_only(const JsonView& json, const std::vector<std::string>& legal) {
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const std::vector<std::string> onnx = names_of(onnx_keys()), distir = names_of(distir_keys());
  for (const auto& [name, value] : json.members()) {
    if (has(legal, name)) continue;
    std::vector<std::string> kinds;
    if (has(onnx, name)) kinds.emplace_back("\"onnx\"");
    if (has(distir, name)) kinds.emplace_back("\"distir\"");
    if (!kinds.empty()) value.fail("is only for workloads with " + list_or(kinds));
  }
  json.allow_only(legal);
}

void read_source_of(const JsonView& json, Workload& workload) {
  check_one_source(json);
  if (json.has("onnx")) {
    allow_only(json, names_of(onnx_keys()));
    workload.source = Workload::Source::onnx;
    workload.path   = file_named(json.at("onnx"));
    workload.inputs = read_inputs(json);
    if (json.has("shapes")) {
      for (const auto& [input, dims] : json.at("shapes").members()) workload.shapes.emplace(input, read_dims(dims));
    }
    if (json.has("dims")) {
      for (const auto& [symbol, size] : json.at("dims").members()) workload.dims.emplace(symbol, read_size(size));
    }
    return;
  }
  if (json.has("distir")) {
    allow_only(json, names_of(distir_keys()));
    workload.source   = Workload::Source::distir;
    workload.path     = file_named(json.at("distir"));
    workload.function = json.string_or("function", "");
    return;
  }
  if (!json.has("model")) json.fail("says no workload; give \"model\", \"onnx\" or \"distir\"");
  const std::string& model = json.at("model").as_string();
  workload.family          = &workload::find_model(model, json.at("model").where());
  workload.preset          = workload::presets().find(model);
  allow_only(json, family_key_names(*workload.family));
  workload.sizes = workload::read_key_values(json, workload.family->keys);
}

// Types by name that are no type of tensors. fp8: products in fp8, all else in bf16, as Transformer Engine runs them;
// tf32: tensors of Float32, products on the units of TF32.
constexpr std::string_view kFp8 = "fp8", kTf32 = "tf32";

std::optional<ir::DType> read_dtype(const JsonView& json, const Workload& workload) {
  if (!json.has("dtype")) {
    if (workload.source == Workload::Source::family) return ir::DType::f32;
    return std::nullopt;
  }
  const JsonView value    = json.at("dtype");
  const std::string& name = value.as_string();
  if (name == kFp8) return ir::DType::bf16;
  if (name == kTf32) return ir::DType::f32;
  const std::optional<ir::DType> dtype = ir::find_dtype(name);
  if (!dtype || !ir::is_arithmetic(*dtype))
    value.fail("\"" + name + "\" is no floating-point type; use f64, f32, tf32, f16, bf16, f8 or fp8");
  return dtype;
}

workload::Mode read_mode(const JsonView& json, const Workload& workload) {
  if (json.has("mode")) return workload::mode_named(json.at("mode").as_string(), json.at("mode").where());
  return workload.source == Workload::Source::family ? workload::Mode::training : workload::Mode::inference;
}

std::string read_optimizer(const JsonView& json, const Workload& workload) {
  const std::string_view fallback = workload.family != nullptr ? workload.family->traits.optimizer : "sgd";
  const std::string optimizer     = json.string_or("optimizer", std::string(fallback));
  const auto names                = transform::optimizer_names();
  if (std::find(names.begin(), names.end(), optimizer) == names.end()) {
    json.at("optimizer").fail("unknown optimizer \"" + optimizer + "\"; use " + list_or(names));
  }
  return optimizer;
}

bool read_short_only(const JsonView& json, const std::string& key, const Workload& workload, bool fallback) {
  const bool wide   = workload.dtype && ir::size_of(*workload.dtype) >= ir::size_of(ir::DType::f32);
  const bool chosen = json.bool_or(key, fallback);
  if (chosen && wide && json.has(key)) {
    json.at(key).fail("is for dtype f16, bf16 or f8; weights of " + std::string(ir::short_name(*workload.dtype)) +
                      " need none");
  }
  return chosen;
}

// Optimizers that keep states train weights narrower than Float32 with master weights, as Megatron-LM does; plain sgd
// does not, as in DistIR.
transform::MixedPrecision read_precision(const JsonView& json, const Workload& workload) {
  const bool keeps_states = !transform::optimizers().get(workload.optimizer, json.where()).states.empty();
  return {.master_weights  = read_short_only(json, "master_weights", workload, keeps_states),
          .float_gradients = read_short_only(json, "float_gradients", workload, false)};
}

int read_fp8_updates(const JsonView& json) {
  if (!json.has("fp8_updates")) return 0;
  const JsonView value    = json.at("fp8_updates");
  constexpr int64_t kMost = 1000;
  const int64_t number    = value.as_int();
  if (number < 0 || number > kMost) value.fail("is a number of kernels, from 0 to 1000");
  return static_cast<int>(number);
}

double read_clip_gradients(const JsonView& json) {
  if (!json.has("clip_gradients")) return 0;
  const JsonView value = json.at("clip_gradients");
  const double norm    = value.as_number();
  if (!(norm >= 0)) value.fail("is the largest norm of the gradients, above 0; 0: they are not clipped");
  return norm;
}

void check_phase(const JsonView& json, const Workload& workload) {
  for (const char* key : {"phase", "cache_dtype"}) {
    if (workload.trains() && json.has(key))
      json.at(key).fail("is of inference, and this workload trains; write \"mode\": \"inference\" beside it");
  }
  const bool exported = workload.family != nullptr && workload.family->traits.infers_by_export && !json.has("phase");
  if (exported && json.has("cache_dtype"))
    json.at("cache_dtype").fail("is of the phases of inference; write \"phase\": \"prefill\" or \"decode\" beside it");
}

std::string read_loss(const JsonView& json) {
  const std::string loss = json.string_or("loss", "");
  const auto names       = transform::loss_names();
  if (json.has("loss") && std::find(names.begin(), names.end(), loss) == names.end())
    json.at("loss").fail("unknown loss \"" + loss + "\"; use " + list_or(names));
  return loss;
}

}  // namespace

int64_t Workload::size(std::string_view key) const {
  return family == nullptr ? 0 : workload::FilledValues(family->keys, sizes).size(key);
}

Workload read_workload(const JsonView& json) {
  Workload workload;
  read_source_of(json, workload);
  workload.decodes      = workload.sizes.word_or("phase", "") == "decode";
  workload.dtype        = read_dtype(json, workload);
  workload.stated_dtype = json.string_or("dtype", "");
  workload.fp8          = workload.stated_dtype == kFp8;
  workload.tf32         = workload.stated_dtype == kTf32;
  workload.fp8_updates  = read_fp8_updates(json);
  workload.fp8_reduces  = json.bool_or("fp8_reduces", false);
  workload.mode         = read_mode(json, workload);
  check_phase(json, workload);
  workload.optimizer      = read_optimizer(json, workload);
  workload.precision      = read_precision(json, workload);
  workload.float_logits   = read_short_only(json, "float_logits", workload, false);
  workload.clip_gradients = read_clip_gradients(json);
  workload.gradients_of = json.bool_or("input_gradient", false) ? transform::Inputs::floating : transform::Inputs::none;
  workload.loss         = read_loss(json);
  workload.output       = json.string_or("output", workload.output);
  workload.loss_axis    = json.int_or("loss_axis", workload.loss_axis);
  if (json.has("weights")) workload.weights = split(json.at("weights").as_string(), '|');
  return workload;
}

}  // namespace foreflow::scenario
