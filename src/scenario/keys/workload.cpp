#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "foreflow/base/text.h"
#include "foreflow/ir/type.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/workload/preset.h"
#include "scenario/keys/sections.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

std::vector<std::string> float_types() {
  std::vector<std::string> names;
  for (int i = 0; i < ir::kDTypes; ++i) {
    const auto dtype = static_cast<ir::DType>(i);
    if (ir::is_arithmetic(dtype)) names.emplace_back(ir::short_name(dtype));
  }
  for (int i = 0; i < ir::kDTypes; ++i) {
    const auto dtype = static_cast<ir::DType>(i);
    if (ir::is_arithmetic(dtype)) names.emplace_back(ir::name(dtype));
  }
  for (const char* name : {"fp8", "tf32"}) names.emplace_back(name);
  return names;
}

const Keys& common_keys() {
  static const Keys keys = {
      {"dtype",
       "data type of weights and activations; `fp8`: bf16, with the products of the layers' matrices in fp8, as "
       "Transformer Engine runs them (attention, embeddings and the vocabulary stay in bf16); `tf32`: f32, with "
       "products on the units of TF32, the same as f32 with `cost.tf32`, but an error where no device has such units",
       types::one_of(float_types()), "`f32`; a file keeps its own types"},
      {"fp8_updates",
       "of `dtype` fp8: small kernels that update the scales of a module before each of its passes, forward and "
       "backward: histories of largest values, their maximum, scales, inverses. A module is a product, or two with "
       "nothing but element-wise ops between them, as those of an MLP are",
       types::whole(0, 1000), "0"},
      {"fp8_reduces",
       "of `dtype` fp8: the devices of a stage, in all replicas, agree on the largest value of each operand in fp8, by "
       "a collective at the end of each pass of the stage (Transformer Engine's DelayedScaling with reduce_amax)",
       types::flag(), "false"},
      {"mode", "whether the program trains", types::one_of({workload::kModes.begin(), workload::kModes.end()}),
       "`training`; of a file `inference`"},
      {"optimizer", "what updates the weights", types::one_of(transform::optimizer_names()),
       "`adam` for families of transformers; else `sgd`"},
      {"master_weights", "whether the optimizer keeps weights of 16 or 8 bits in Float32 as well", types::flag(),
       "true for optimizers with state; only for narrow dtypes"},
      {"float_gradients", "whether each gradient is converted to Float32 where it is made", types::flag(),
       "false; only for narrow dtypes"},
      {"float_logits",
       "whether logits are converted to Float32 for the loss, which keeps them for the backward pass and makes their "
       "gradient in Float32, as cross_entropy does on logits.float() and under autocast; the kernels of the loss "
       "convert (`cost.loss_bytes`)",
       types::flag(), "false; only for narrow dtypes"},
      {"clip_gradients",
       "the largest norm of all gradients together: larger ones are scaled down to it before the update, which waits "
       "for the sum of their squares over all devices",
       types::number(), "0: gradients are not clipped"},
      {"input_gradient", "whether the backward pass also gives gradients of the data", types::flag(), "false"}};
  return keys;
}

// Keys for the training of files only.
Keys with_file_keys(Keys keys) {
  const ValueType axis{"a whole number; below 0 from the last", Schema().with("type", "integer")};
  const Keys own = {{"loss", "of `onnx` or `distir`: what training minimises", types::one_of(transform::loss_names()),
                     "the first result, summed"},
                    {"output", "of `onnx` or `distir`: the prediction that the loss compares",
                     types::text("name or number of a result"), "`\"0\"`"},
                    {"loss_axis", "of `onnx` or `distir`: axis of the classes", axis, "-1"},
                    {"weights", "of `onnx` or `distir`: which parameters are weights, and are trained",
                     types::text("names, joined by \"|\"; * for any run of characters"), "every weight"}};
  keys.insert(keys.end(), own.begin(), own.end());
  keys.insert(keys.end(), common_keys().begin(), common_keys().end());
  return keys;
}

ValueType type_of(workload::Key::Kind kind) {
  switch (kind) {
    case workload::Key::Kind::integer: return types::whole(0, kLargestNumber);
    case workload::Key::Kind::number: return types::number();
    case workload::Key::Kind::boolean: return types::flag();
    case workload::Key::Kind::word: return types::text("a word");
  }
  return types::text("a word");
}

// The family and its presets.
std::vector<std::string> names_of(const workload::WorkloadDef& family) {
  std::vector<std::string> names = {std::string(family.name)};
  for (const workload::Preset& preset : workload::presets()) {
    if (preset.family == family.name) names.emplace_back(preset.name);
  }
  return names;
}

Keys sizes_of(const workload::WorkloadDef& family) {
  Keys keys;
  for (const workload::Key& key : family.keys)
    keys.push_back({std::string(key.name), explained(key), type_of(key.kind)});
  keys.insert(keys.end(), common_keys().begin(), common_keys().end());
  return keys;
}

KeyDef model_key() {
  std::vector<std::string> names = workload::workloads().names(), presets = workload::presets().names();
  names.insert(names.end(), presets.begin(), presets.end());
  return {"model", "a family of models, or a published model by name (`foreflow list workloads`)",
          types::one_of(names)};
}

// The texts of families about a key, in their order, each with the families that say it.
class Sayings {
 public:
  void add(const std::string& text, const std::string& family) {
    const auto same = [&](const auto& said) { return said.first == text; };
    const auto said = std::find_if(all_.begin(), all_.end(), same);
    (said == all_.end() ? all_.emplace_back(text, std::vector<std::string>()) : *said).second.push_back(family);
  }
  const std::vector<std::pair<std::string, std::vector<std::string>>>& all() const { return all_; }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> all_;
};

// "of `gpt` or `bert`: transformer blocks; of `mlp`: layers".
std::string doc_of(const Sayings& docs) {
  std::string text;
  for (const auto& [doc, families] : docs.all())
    text += fmt::format("{}of {}: {}", text.empty() ? "" : "; ", list_or(families), doc);
  return text;
}

// "12", where families differ "`bert` or `gpt`: 12; `mlp`: 4".
std::string default_of(const Sayings& defaults) {
  if (defaults.all().size() == 1) return defaults.all()[0].first;
  std::string text;
  for (const auto& [words, families] : defaults.all())
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", list_or(families), words.empty() ? "none" : words);
  return text;
}

// The sizes of all families, each once, with what each family says of it.
Keys sizes_of_all() {
  Keys keys;
  std::vector<std::pair<Sayings, Sayings>> said;  // per key: meanings and defaults
  for (const workload::WorkloadDef& family : workload::workloads()) {
    const std::string name = fmt::format("`{}`", family.name);
    for (const workload::Key& key : family.keys) {
      const auto found =
          std::find_if(keys.begin(), keys.end(), [&](const KeyDef& one) { return one.name == key.name; });
      const auto place = static_cast<size_t>(found - keys.begin());
      if (found == keys.end()) keys.push_back({std::string(key.name), "", type_of(key.kind)});
      said.resize(keys.size());
      said[place].first.add(std::string(key.doc), name);
      said[place].second.add(in_words(key.fallback), name);
    }
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    keys[i].doc       = doc_of(said[i].first);
    keys[i].otherwise = default_of(said[i].second);
  }
  return keys;
}

std::vector<Variant> families() {
  std::vector<Variant> all;
  for (const workload::WorkloadDef& family : workload::workloads())
    all.push_back({types::one_of(names_of(family)), sizes_of(family)});
  return all;
}

}  // namespace

std::vector<std::string> family_key_names(const workload::WorkloadDef& family) {
  std::vector<std::string> names = foreflow::names_of(common_keys());
  names.emplace_back("model");
  for (const workload::Key& key : family.keys) names.emplace_back(key.name);
  return names;
}

const Keys& onnx_keys() {
  const ValueType number = types::number(-std::numeric_limits<double>::infinity());
  ValueType numbers =
      types::either({number, types::list_of(number, "a list of numbers"), types::path("a TensorProto file")});
  numbers.is_list        = true;
  static const Keys keys = with_file_keys(
      {{"onnx", "an ONNX model", types::path()},
       {"shapes", "shapes of the model's inputs, by their names",
        types::map_of(".+", types::list_of(types::whole(0), "a shape such as `[1, 128]`"), "an object of shapes")},
       {"dims", "sizes of the dimensions that the model's inputs name, such as `{\"batch\": 8, \"sequence\": 2048}`",
        types::map_of(".+", types::whole(0), "an object of sizes")},
       {"inputs", "elements of the model's inputs that decide its control flow, such as `{\"sr\": 16000}`",
        types::map_of(".+", numbers, "an object of numbers, lists of numbers or TensorProto files")}});
  return keys;
}

const Keys& distir_keys() {
  static const Keys keys =
      with_file_keys({{"distir", "a DistIR program", types::path()},
                      {"function", "the function to run", types::text("its name"), "the last one of the file"}});
  return keys;
}

ValueType workload_type() {
  ValueType type = types::either({variants(model_key(), families()), types::object_of(onnx_keys(), "", {"onnx"}),
                                  types::object_of(distir_keys(), "", {"distir"})});
  type.words     = "an object with `model`, `onnx` or `distir`";
  return type;
}

Keys workload_keys() {
  return together({{{}, {model_key()}}, {{}, onnx_keys()}, {{}, distir_keys()}, {{}, sizes_of_all()}});
}

}  // namespace foreflow::scenario
