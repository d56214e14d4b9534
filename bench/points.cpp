#include "points.h"

#include "foreflow/base/nth.h"

namespace foreflow::bench {
namespace {

Json strategy_of(const Degrees& degrees, int64_t batch) {
  Json json = Json::object();
  json.set("dp", degrees.dp);
  json.set("tp", degrees.tp);
  json.set("pp", degrees.pp);
  json.set("microbatches", degrees.microbatches);
  json.set("global_batch", batch);
  return json;
}

}  // namespace

scenario::Scenario mlp_1b(const Degrees& degrees, const std::string& engine) {
  Json json     = parse_json(R"({
    "workload": { "model": "mlp", "layers": 16, "hidden": 8192, "dtype": "f16", "mode": "training", "input_gradient": true },
    "platform": { "topology": "dgx2", "nodes": 1 },
    "cost": { "model": "distir" }
  })",
                             "mlp_1b");
  Json strategy = strategy_of(degrees, 65536);
  strategy.set("schedule", "eager_1f1b");
  strategy.set("gather_results", false);
  json.set("strategy", strategy);
  json.set("engine", engine);
  return scenario::load(json, "mlp_1b");
}

scenario::Scenario gpt_175b() {
  Json json = parse_json(R"({
    "workload": { "model": "gpt", "layers": 96, "heads": 96, "hidden": 12288, "sequence": 8, "dtype": "f16", "mode": "inference" },
    "platform": { "topology": "dgx2", "nodes": 1 }
  })",
                         "gpt_175b");
  json.set("strategy", strategy_of({}, 1));
  return scenario::load(json, "gpt_175b");
}

scenario::Scenario gpt_training(int nodes, const Degrees& degrees, const std::string& engine, int layers) {
  Json json = parse_json(R"({
    "workload": { "model": "gpt", "heads": 96, "hidden": 12288, "sequence": 2048, "vocabulary": 51200,
                  "dtype": "f16", "mode": "training" }
  })",
                         "gpt_training");
  json.member("workload").set("layers", layers);
  Json platform = Json::object();
  platform.set("topology", "dgx_a100");
  platform.set("nodes", nodes);
  json.set("platform", platform);
  json.set("strategy", strategy_of(degrees, int64_t{degrees.dp} * degrees.microbatches));
  json.set("engine", engine);
  return scenario::load(json, "gpt_training");
}

std::vector<Degrees> grid_of_16() {
  constexpr int kDevices = 16, kMostMicrobatches = 128;
  std::vector<Degrees> grid;
  for (int dp = 1; dp <= kDevices; dp *= 2) {
    for (int tp = 1; dp * tp <= kDevices; tp *= 2) {
      const int pp = kDevices / dp / tp;
      if (pp == 1) grid.push_back({dp, tp, pp, 1});
      for (int k = 2; pp > 1 && k <= kMostMicrobatches; k *= 2) grid.push_back({dp, tp, pp, k});
    }
  }
  return grid;
}

double executed_ops(const ir::Module& module) {
  std::vector<double> ops;  // per function; callees stand before their callers
  for (const ir::Function& function : module.functions) {
    double count = 0;
    for (const ir::Op& op : function.ops) count += op.is_call() ? nth(ops, op.callee) : 1;
    ops.push_back(count);
  }
  return ops.back();
}

}  // namespace foreflow::bench
