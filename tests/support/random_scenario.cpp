#include "support/random_scenario.h"

#include "foreflow/base/nth.h"
#include "support/random_streams.h"

namespace foreflow::test {
namespace {

using scenario::PlatformRef;
using scenario::Scenario;

std::string one_of(Random& rng, const std::vector<std::string>& all) {
  return nth(all, draw(rng, 0, static_cast<int>(all.size()) - 1));
}

std::string workload_text(Random& rng) {
  const std::string mode  = draw(rng, 0, 3) == 0 ? "inference" : "training";
  const std::string model = one_of(
      rng, {R"("model": "mlp", "layers": 4, "hidden": 64)",
            R"("model": "gpt", "layers": 4, "hidden": 32, "heads": 4, "sequence": 16, "vocabulary": 64)",
            R"("model": "llama", "layers": 4, "hidden": 32, "heads": 4, "sequence": 16, "vocabulary": 64)",
            R"("model": "moe", "layers": 2, "hidden": 32, "heads": 4, "sequence": 8, "vocabulary": 64, "experts": 4)"});
  return "{" + model + R"(, "mode": ")" + mode + R"(", "dtype": "f16", "optimizer": ")" + one_of(rng, {"sgd", "adam"}) +
         R"(", "clip_gradients": )" + one_of(rng, {"0", "0", "1.0"}) + "}";
}

struct Machine {
  std::string text;
  int devices;
};

Machine any_machine(Random& rng) {
  const std::vector<Machine> all = {{R"({"topology": "dgx2"})", 16},
                                    {R"({"topology": "dgx_a100", "nodes": 2})", 16},
                                    {R"({"topology": "dgx_a100", "nodes": 4})", 32},
                                    {R"({"topology": "p3_8xlarge", "nodes": 4})", 16},
                                    {R"({"topology": "dgx_h100", "nodes": 2})", 16},
                                    {R"({"parts": [{"topology": "dgx_a100", "nodes": 1, "gpus_per_node": 4},
                                                   {"topology": "p3_8xlarge", "nodes": 2}]})",
                                     12},
                                    {R"({"topology": "dgx_h100", "nodes": 4, "fabric": "rail_optimized",
                                         "pod_nodes": 1})",
                                     32},
                                    {R"({"topology": "p3_8xlarge", "nodes": 8, "fabric": "fat_tree3", "leaf_ports": 4,
                                         "pod_leaves": 2, "oversubscription": 2})",
                                     32},
                                    {R"({"topology": "p3_8xlarge", "nodes": 4, "fabric": "fat_tree2", "leaf_ports": 4,
                                         "routing": "adaptive"})",
                                     16}};
  return nth(all, draw(rng, 0, static_cast<int>(all.size()) - 1));
}

std::string strategy_text(Random& rng, int devices) {
  const auto degree = [&] { return 1 << draw(rng, 0, 2); };
  int dp = 1 << draw(rng, 0, 3), tp = degree(), pp = degree();
  while (dp * tp * pp > devices) (dp > 1 ? dp : tp > 1 ? tp : pp) /= 2;
  if (draw(rng, 0, 1) == 0) dp = devices / tp / pp;
  const int microbatches = draw(rng, 0, 2) == 0 ? pp * draw(rng, 8, 20)
                           : pp == 1            ? 1 << draw(rng, 0, 1)
                                                : pp * (1 << draw(rng, 0, 1));
  std::string text       = R"({"dp": )" + std::to_string(dp) + R"(, "tp": )" + std::to_string(tp) + R"(, "pp": )" +
                     std::to_string(pp) + R"(, "microbatches": )" + std::to_string(microbatches) +
                     R"(, "global_batch": )" + std::to_string(32 * microbatches);
  const auto sometimes = [&](const std::string& key, const std::vector<std::string>& values) {
    if (draw(rng, 0, 3) == 0) text += ", \"" + key + "\": " + one_of(rng, values);
  };
  if (pp > 1)
    sometimes("schedule", {R"("gpipe")", R"("eager_1f1b")", R"("zb_h1")", R"("interleaved_1f1b")", R"("zb_v")",
                           R"("dualpipe_v")", R"("chimera")"});
  sometimes("zero", {"1", "2", "3"});
  sometimes("overlap_gradients", {"true"});
  sometimes("bucket_size", {R"("20kB")"});
  sometimes("first_bucket_size", {R"("1kB")"});
  sometimes("overlap_sends", {"true"});
  sometimes("recompute", {R"("full")", R"("selective")", R"("op")"});
  sometimes("offload", {"true"});
  sometimes("sequence_parallel", {"true"});
  sometimes("delay_weight_gradients", {"true"});
  sometimes("cp", {"2"});
  sometimes("overlap_tensor", {"2"});
  return text + "}";
}

// Devices and links that every machine above has are few, so they are named on one machine each.
std::string disturbances_text(Random& rng, const platform::Platform& platform) {
  const auto device = [&] { return "\"" + nth(platform.devices(), draw(rng, 0, 7)).name + "\""; };
  std::vector<std::string> parts;
  if (draw(rng, 0, 2) == 0)
    parts.push_back(R"("slowdowns": [{"device": )" + device() + R"(, "factor": )" +
                    std::to_string(draw_real(rng, 1.1, 3)) +
                    one_of(rng, {R"(, "from": "2us", "until": "1ms"}])", "}]"}));
  if (draw(rng, 0, 3) == 0) {
    const size_t link = static_cast<size_t>(draw(rng, 0, static_cast<int>(platform.links().size()) - 1));
    parts.push_back(R"("links": [{"link": ")" + platform.links()[link].name +
                    R"(", "changes": [{"at": "3us", "factor": 0.4}, {"at": "200us", "factor": 1}]}])");
  }
  if (draw(rng, 0, 4) == 0)
    parts.push_back(R"("background": [{"from": ")" + platform.devices()[0].name + R"(", "to": ")" +
                    platform.devices()[9].name + R"(", "bytes": "100kB", "period": "50us", "until": "1ms"}])");
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return "{" + text + "}";
}

}  // namespace

std::optional<Scenario> random_scenario(Random& rng, PlatformRef& platform) {
  const Machine where     = any_machine(rng);
  const std::string chain = R"({"platform": )" + where.text + R"(, "workload": )" + workload_text(rng) +
                            R"(, "strategy": )" + strategy_text(rng, where.devices) + R"(, "placement": )" +
                            one_of(rng, {R"("packed")", R"("packed")", R"("spread")", R"({"order": "dp-pp-tp"})",
                                         R"({"policy": "random", "seed": 3})"}) +
                            R"(, "network": {"coupling": ")" + one_of(rng, {"auto", "coupled"}) + R"("}, "engine": ")";
  const bool contended   = draw(rng, 0, 3) != 0;
  const std::string text = chain + (contended ? "simgrid" : "analytic") + "\"}";
  Json json              = parse_json(text, "random.json");
  try {
    platform = scenario::load_platform(scenario::load(json, "random.json").platform);
  } catch (const Error&) {
    return {};
  }
  if (contended && draw(rng, 0, 1) == 0)
    json.set("disturbances", parse_json(disturbances_text(rng, *platform), "random.json"));
  return scenario::load(json, "random.json");
}

std::optional<scenario::Outcome> outcome_if_legal(Scenario scenario, const PlatformRef& platform, bool fold,
                                                  bool every_round) {
  scenario.simulation.fold        = fold;
  scenario.simulation.every_round = every_round;
  try {
    return scenario::run(scenario, platform);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace foreflow::test
