#include "property/search_questions.h"

#include <random>
#include <string>
#include <vector>

#include "foreflow/scenario/framework.h"
#include "search/question.h"

namespace foreflow::search {
namespace {

// A key that a strategy may leave out, with values to try.
struct Key {
  const char* name;
  std::vector<std::string> values;
  enum class For : uint8_t { all, transformers, training, experts } use = For::all;
};
const std::vector<Key> kKeys = {
    {"schedule",
     {R"(["1f1b", "gpipe"])", R"(["eager_1f1b", "zb_h1"])", R"(["zb_v", "chimera"])", R"(["dualpipe", "dualpipe_v"])"}},
    {"zero", {"[0, 3]", "[1, 2]", "1"}, Key::For::training},
    {"recompute", {R"(["none", "full"])", "\"block(2)\"", R"("full")", R"(["none", "op"])"}, Key::For::training},
    {"recompute", {R"("selective")", R"(["selective", "optimal"])"}, Key::For::experts},
    {"offload", {"[false, true]"}, Key::For::training},
    {"delay_weight_gradients", {"[false, true]"}, Key::For::training},
    {"overlap_gradients", {"[false, true]"}, Key::For::training},
    {"bucket_size", {R"("1 MB")"}, Key::For::training},
    {"overlap_sends", {"[false, true]"}},
    {"overlap_tensor", {"[1, 2]"}},
    {"gather_results", {"[false, true]"}},
    {"stage_partition", {R"(["balanced", "uniform"])", R"(["balanced", "layers"])", R"("layers")"}},
    {"count_as_layers", {R"("both")", R"(["none", "both", "head"])"}, Key::For::transformers},
    {"sequence_parallel", {"[false, true]", "true"}, Key::For::transformers},
    {"vocabulary_parallel", {"[false, true]", "true"}, Key::For::transformers},
    {"tensor_plan", {R"(["auto", "megatron"])"}, Key::For::transformers},
    {"cp", {"[1, 2]", "2"}, Key::For::transformers},
    {"context_attention",
     {R"(["all_gather", "ring"])", R"(["striped_ring", "all_to_all"])", R"("ring")"},
     Key::For::transformers},
    {"ep", {"[1, 2]", "2", R"("any")"}, Key::For::experts},
    {"fusion", {"[false, true]", "true"}},
    {"attention", {R"(["flash", "unfused"])", R"("unfused")"}, Key::For::transformers},
};

class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed), clips_(seed % 3 == 0) {}

  Json question() {
    const size_t family = random_() % 4;
    training_           = random_() % 4 != 0;
    transformer_        = family > 0;
    experts_            = family == 3;
    Json json;
    json.set("workload", workload(family));
    json.set("platform", one_of({R"({"topology": "dgx2"})", R"({"topology": "dgx_a100", "nodes": 2})",
                                 R"({"topology": "p3_8xlarge", "nodes": 2})"}));
    json.set("engine", one_of({"\"analytic\"", "\"analytic\"", "\"simgrid\""}));
    json.set("cost", one_of({R"({"model": "roofline"})", R"({"model": "roofline"})", R"({"model": "distir"})"}));
    json.set("strategy", strategy());
    json.set("placement", one_of({R"("packed")", R"({"order": "any"})", R"(["packed", "spread"])"}));
    if (random_() % 3 == 0) run_by_framework(json);
    return json;
  }

 private:
  Json one_of(const std::vector<std::string>& texts) { return parse_json(texts[random_() % texts.size()], "draw"); }

  Json workload(size_t family) {
    const std::vector<std::string> members = {
        R"({"model": "mlp", "layers": 8, "hidden": )" + std::to_string(256 << (random_() % 6)),
        R"({"model": "gpt", "layers": 4, "hidden": 256, "heads": 8, "sequence": 32, "vocabulary": 512)",
        R"({"model": "llama", "layers": 4, "hidden": 128, "heads": 8, "kv_heads": 4, "feed_forward": 256, "sequence": 64, "vocabulary": 1024)",
        R"({"model": "moe", "layers": 4, "hidden": 64, "heads": 4, "feed_forward": 128, "sequence": 32, "vocabulary": 128, "experts": 4, "routing_groups": 2)"};
    return parse_json(members[family] + R"(, "dtype": "f16", )" + mode() + "}", "workload");
  }
  // Its costs are those of calibrated devices.
  void run_by_framework(Json& json) {
    const auto& all = scenario::frameworks();
    json.set("framework", all[random_() % all.size()].name);
    json.set("cost", parse_json(R"({"model": "calibrated"})", "draw"));
    json.set("platform", one_of({R"({"topology": "dgx_a100"})", R"({"topology": "dgx_h100"})"}));
  }

  std::string mode() {
    if (!training_) return R"("mode": "inference")";
    return R"("mode": "training", "optimizer": ")" + std::string(random_() % 2 == 0 ? "sgd" : "adam") +
           R"(", "clip_gradients": )" + (clips_ ? "1.0" : "0");
  }

  bool applies(const Key& key) const {
    switch (key.use) {
      case Key::For::all: return true;
      case Key::For::transformers: return transformer_;
      case Key::For::training: return training_;
      case Key::For::experts: return experts_ && (training_ || std::string_view(key.name) == "ep");
    }
    return false;
  }

  // Some axes are pinned so that a space stays small; three to five keys are said besides.
  Json strategy() {
    Json json = parse_json(R"({"schedule": "1f1b", "recompute": "none", "zero": 0, "sequence_parallel": false,
                               "ep": 1})",
                           "draw");
    json.set("global_batch", one_of({"16", "64", "48", "[8, 32]"}));
    json.set("tp", one_of({"[1, 2]", "[2, 4]", "1"}));
    json.set("pp", one_of({"[1, 2]", "[1, 4]", "2"}));
    json.set("dp", one_of({"[1, 2]", "[1, 4]", "2"}));
    json.set("microbatches", one_of({"[1, 4]", "[2, 8]", "4"}));
    for (size_t said = 0, wanted = 3 + random_() % 3; said < wanted;) {
      const Key& key = kKeys[random_() % kKeys.size()];
      if (!applies(key)) continue;
      json.set(key.name, one_of(key.values));
      ++said;
    }
    if (random_() % 5 == 0) json.set("schedule", "interleaved_1f1b").set("virtual_stages", 2);
    return json;
  }

  std::mt19937_64 random_;
  const bool clips_;
  bool training_ = true, transformer_ = true, experts_ = false;
};

}  // namespace

Json small_question(int seed) {
  constexpr size_t kMost = 48;
  Draw draw(static_cast<uint64_t>(seed));
  Json source = draw.question();
  while (Question(source, "random.json", {}).space().points().size() > kMost) source = draw.question();
  return source;
}

}  // namespace foreflow::search
