#include <string>

#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"
#include "foreflow/workload/preset.h"

namespace foreflow::workload {
namespace {

constexpr std::string_view kGpt2 = "Radford et al., 2019; count of the released checkpoint";
constexpr std::string_view kGpt3 =
    "Brown et al., 2020, table 2.1 (rounded there); count by Narayanan et al., 2021, eq. 2";
constexpr std::string_view kMegatron = "Narayanan et al., 2021, table 1 (rounded there); count by their eq. 2";
constexpr std::string_view kBert     = "Devlin et al., 2019; count of the released checkpoint with both its heads";
constexpr std::string_view kBertExLarge =
    "DistSim: 48 layers (hidden 1024 and 16 heads are assumed, the paper says neither); count by the sizes";
constexpr std::string_view kT5     = "Raffel et al., 2020; count of the released checkpoint";
constexpr std::string_view kVit    = "Dosovitskiy et al., 2021; count by torchvision 0.13";
constexpr std::string_view kResnet = "He et al., 2016; count by torchvision 0.13";
constexpr std::string_view kUnet =
    "Zhuang et al., 2023, table 3 and artifact (suite_unet.py, unet_2d.py); rounded there, count by the definition "
    "there";
constexpr std::string_view kLlama2 = "Touvron et al., 2023b; count of the released checkpoint";
constexpr std::string_view kMixtral =
    "Jiang et al., 2024, table 1, and the configuration files published with the weights; count of the released "
    "checkpoint";
constexpr std::string_view kLlama1  = "Touvron et al., 2023a, table 2; count of the released checkpoint";
constexpr std::string_view kMistral = "Jiang et al., 2023, table 1; count of the released checkpoint";
constexpr std::string_view kDeepseek =
    "Dai et al., 2024, and the configuration file published with the weights; count of the released checkpoint";
constexpr std::string_view kLlama3 = "Grattafiori et al., 2024; count of the released checkpoint";

Preset gpt2(std::string_view name, int64_t layers, int64_t hidden, int64_t heads, int64_t parameters) {
  return {name,
          "gpt",
          {{"layers", layers}, {"hidden", hidden}, {"heads", heads}, {"sequence", 1024}, {"vocabulary", 50257}},
          parameters,
          kGpt2};
}

Preset gpt3(std::string_view name, int64_t layers, int64_t hidden, int64_t heads, int64_t parameters) {
  return {name,
          "gpt",
          {{"layers", layers}, {"hidden", hidden}, {"heads", heads}, {"sequence", 2048}, {"vocabulary", 50257}},
          parameters,
          kGpt3};
}

Preset megatron(std::string_view name, int64_t layers, int64_t hidden, int64_t heads, int64_t parameters) {
  return {name,
          "gpt",
          {{"layers", layers}, {"hidden", hidden}, {"heads", heads}, {"sequence", 2048}, {"vocabulary", 51200}},
          parameters,
          kMegatron};
}

Preset bert(std::string_view name, int64_t layers, int64_t hidden, int64_t heads, int64_t parameters,
            std::string_view source = kBert) {
  return {
      name, "bert", {{"layers", layers}, {"hidden", hidden}, {"heads", heads}, {"sequence", 512}}, parameters, source};
}

struct Headed {
  int64_t layers, hidden, heads, head_size, feed_forward;
};

Preset t5(std::string_view name, const Headed& sizes, int64_t parameters) {
  return {name,
          "t5",
          {{"layers", sizes.layers},
           {"hidden", sizes.hidden},
           {"heads", sizes.heads},
           {"head_size", sizes.head_size},
           {"feed_forward", sizes.feed_forward}},
          parameters,
          kT5};
}

Preset vit(std::string_view name, int64_t layers, int64_t hidden, int64_t heads, int64_t patch, int64_t parameters) {
  return {name, "vit", {{"layers", layers}, {"hidden", hidden}, {"heads", heads}, {"patch", patch}}, parameters, kVit};
}

Preset resnet(std::string_view name, int64_t depth, int64_t parameters) {
  return {name, "resnet", {{"depth", depth}}, parameters, kResnet};
}

Preset unet(std::string_view name, int64_t width, int64_t parameters) {
  return {name, "unet", {{"width", width}, {"image", 32}, {"blocks", 4}}, parameters, kUnet};
}

struct Gated {
  int64_t layers, hidden, heads, kv_heads, feed_forward;
};

// Decoders with gated MLPs; `more` behind the sizes that all have.
Preset gated(std::string_view name, const Gated& sizes, int64_t sequence, int64_t vocabulary, int64_t parameters,
             std::string_view source, std::string_view family = "llama",
             const std::vector<std::pair<std::string_view, int64_t>>& more = {}) {
  Preset preset{name,
                family,
                {{"layers", sizes.layers},
                 {"hidden", sizes.hidden},
                 {"heads", sizes.heads},
                 {"kv_heads", sizes.kv_heads},
                 {"feed_forward", sizes.feed_forward},
                 {"sequence", sequence},
                 {"vocabulary", vocabulary}},
                parameters,
                source};
  preset.sizes.insert(preset.sizes.end(), more.begin(), more.end());
  return preset;
}

Preset llama1(std::string_view name, const Gated& sizes, int64_t parameters) {
  return gated(name, sizes, 2048, 32000, parameters, kLlama1);
}

Preset llama2(std::string_view name, const Gated& sizes, int64_t parameters) {
  return gated(name, sizes, 4096, 32000, parameters, kLlama2);
}

Preset llama3(std::string_view name, const Gated& sizes, int64_t parameters) {
  return gated(name, sizes, 8192, 128256, parameters, kLlama3, "llama", {{"rotary_base", 500000}});
}

Preset mistral(std::string_view name, const Gated& sizes, int64_t parameters) {
  return gated(name, sizes, 4096, 32000, parameters, kMistral);
}

// The first layer is dense; shared experts are two of the width of a routed one.
Preset deepseek(std::string_view name, const Gated& sizes, int64_t parameters) {
  return gated(
      name, sizes, 4096, 102400, parameters, kDeepseek, "moe",
      {{"experts", 64}, {"top_k", 6}, {"shared_experts", 2}, {"dense_layers", 1}, {"dense_feed_forward", 10944}});
}

Preset mixtral(std::string_view name, const Gated& sizes, int64_t vocabulary, int64_t parameters) {
  return gated(name, sizes, 4096, vocabulary, parameters, kMixtral, "moe",
               {{"experts", 8}, {"top_k", 2}, {"rotary_base", 1000000}});
}

std::vector<std::string> known() {
  std::vector<std::string> names = workloads().names();
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

// "gpt2" is a name for all of gpt2-124m to gpt2-xl, none of which is nearer than another.
std::string model_suggestion(std::string_view model) {
  std::vector<std::string> sizes;
  for (const Preset& preset : presets()) {
    if (preset.name.starts_with(std::string(model) + "-")) sizes.emplace_back(preset.name);
  }
  return sizes.size() > 1 ? "; use " + list_or(sizes) : suggestion(model, known());
}

}  // namespace

const Registry<Preset>& presets() {
  static const Registry<Preset> rows("model", "workloads",
                                     {
                                         gpt2("gpt2-124m", 12, 768, 12, 124439808),
                                         gpt2("gpt2-345m", 24, 1024, 16, 354823168),
                                         gpt2("gpt2-774m", 36, 1280, 20, 774030080),
                                         gpt2("gpt2-1.5b", 48, 1600, 25, 1557611200),
                                         gpt2("gpt2-xl", 48, 1600, 25, 1557611200),
                                         gpt3("gpt3-125m", 12, 768, 12, 125226240),
                                         gpt3("gpt3-350m", 24, 1024, 16, 355871744),
                                         gpt3("gpt3-760m", 24, 1536, 16, 760300032),
                                         gpt3("gpt3-1.3b", 24, 2048, 16, 1315723264),
                                         gpt3("gpt3-2.7b", 32, 2560, 32, 2651553280),
                                         gpt3("gpt3-6.7b", 32, 4096, 32, 6658404352),
                                         gpt3("gpt3-13b", 40, 5120, 40, 12853386240),
                                         gpt3("gpt3-175b", 96, 12288, 96, 174604259328),
                                         megatron("megatron-1.7b", 24, 2304, 24, 1652226048),
                                         megatron("megatron-3.6b", 30, 3072, 32, 3562162176),
                                         megatron("megatron-7.5b", 36, 4096, 32, 7467778048),
                                         megatron("megatron-18b", 40, 6144, 48, 18449743872),
                                         megatron("megatron-39b", 48, 8192, 64, 39096025088),
                                         megatron("megatron-76b", 60, 10240, 80, 76050718720),
                                         megatron("megatron-145b", 80, 12288, 96, 145622237184),
                                         megatron("megatron-310b", 96, 16384, 128, 310130507776),
                                         megatron("megatron-530b", 105, 20480, 128, 529600778240),
                                         megatron("megatron-1t", 128, 25600, 160, 1008038707200),
                                         bert("bert-base", 12, 768, 12, 110106428),
                                         bert("bert-large", 24, 1024, 16, 336226108),
                                         bert("bert-exlarge", 48, 1024, 16, 638535484, kBertExLarge),
                                         t5("t5-small", {6, 512, 8, 64, 2048}, 60506624),
                                         t5("t5-base", {12, 768, 12, 64, 3072}, 222903552),
                                         t5("t5-large", {24, 1024, 16, 64, 4096}, 737668096),
                                         t5("t5-3b", {24, 1024, 32, 128, 16384}, 2851598336),
                                         t5("t5-11b", {24, 1024, 128, 128, 65536}, 11307321344),
                                         vit("vit-base", 12, 768, 12, 16, 86567656),
                                         vit("vit-large", 24, 1024, 16, 16, 304326632),
                                         vit("vit-huge", 32, 1280, 16, 14, 632045800),
                                         resnet("resnet50", 50, 25557032),
                                         resnet("resnet101", 101, 44549160),
                                         resnet("resnet152", 152, 60192808),
                                         unet("unet-470m", 320, 471190724),
                                         unet("unet-1b", 480, 1059989284),
                                         unet("unet-1.2b", 512, 1206005252),
                                         unet("unet-1.8b", 640, 1884256644),
                                         unet("unet-2.1b", 672, 2077366372),
                                         llama1("llama-7b", {32, 4096, 32, 32, 11008}, 6738415616),
                                         llama1("llama-13b", {40, 5120, 40, 40, 13824}, 13015864320),
                                         llama1("llama-33b", {60, 6656, 52, 52, 17920}, 32528943616),
                                         llama1("llama-65b", {80, 8192, 64, 64, 22016}, 65285660672),
                                         llama2("llama2-7b", {32, 4096, 32, 32, 11008}, 6738415616),
                                         llama2("llama2-13b", {40, 5120, 40, 40, 13824}, 13015864320),
                                         llama2("llama2-70b", {80, 8192, 64, 8, 28672}, 68976648192),
                                         llama3("llama3-8b", {32, 4096, 32, 8, 14336}, 8030261248),
                                         llama3("llama3-70b", {80, 8192, 64, 8, 28672}, 70553706496),
                                         llama3("llama3-405b", {126, 16384, 128, 8, 53248}, 405853388800),
                                         mistral("mistral-7b", {32, 4096, 32, 8, 14336}, 7241732096),
                                         mixtral("mixtral-8x7b", {32, 4096, 32, 8, 14336}, 32000, 46702792704),
                                         mixtral("mixtral-8x22b", {56, 6144, 48, 8, 16384}, 32768, 140630071296),
                                         deepseek("deepseek-moe-16b", {28, 2048, 16, 16, 1408}, 16375728128),
                                     });
  return rows;
}

const WorkloadDef& find_model(std::string_view model, const std::string& where) {
  if (const Preset* preset = presets().find(model)) return workloads().get(preset->family, where);
  if (const WorkloadDef* family = workloads().find(model)) return *family;
  for (const auto& [ending, key] :
       {std::pair(".onnx", "onnx"), std::pair(".distir", "distir"), std::pair(".distirb", "distir")}) {
    if (model.ends_with(ending)) {
      throw Error(where, "\"" + std::string(model) + "\" is a file and no model family; name it at \"" + key +
                             "\" in place of \"model\"");
    }
  }
  throw Error(where, "unknown model family \"" + std::string(model) + "\"" + model_suggestion(model) +
                         " (see: foreflow list workloads)");
}

Json with_preset(const Json& workload) {
  const Json* model       = workload.find("model");
  const std::string* name = model == nullptr ? nullptr : model->if_string();
  const Preset* preset    = name == nullptr ? nullptr : presets().find(*name);
  Json result             = workload;
  if (preset == nullptr) return result;
  for (const auto& [key, size] : preset->sizes) {
    if (workload.find(key) == nullptr) result.set(key, size);
  }
  return result;
}

}  // namespace foreflow::workload
