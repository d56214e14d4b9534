#include "reproduce/iterations.h"

namespace foreflow::reproduce::definitions::megatron_bridge {
namespace {

constexpr double kSequence = 8192;

void adjust(const Published& row, Json& scenario) {
  scenario.member("workload").set("model", row.word("model"));
  scenario.member("platform").set("topology", row.word("machine"));
  Json& strategy  = scenario.member("strategy");
  const int group = row.whole("tp") * row.whole("pp") * row.whole("cp");
  strategy.set("dp", static_cast<int64_t>(row.whole("gpus") / group));
  // Gradients travel layer by layer, and weights are gathered so.
  if (row.whole("fsdp") != 0) strategy.set("zero", int64_t{3}).set("shard_unit", "block");
  if (row.whole("pp") == 1) return;
  strategy.set("schedule", "interleaved_1f1b").set("overlap_sends", true);
  // The embedding and the head take the place of a layer each: 126 layers on stages of equal numbers.
  if (row.word("model") == "llama3-405b") strategy.set("count_as_layers", "both");
}

double seconds(const Published& row) {
  return row.number("global_batch") * kSequence / (row.number("tokens_per_s") * row.number("gpus"));
}

Result run(const Options& options) {
  return run_iterations({.file     = "megatron_bridge/rows.csv",
                         .is_ours  = true,
                         .scenario = "megatron_bridge",
                         .named    = {"model", "machine", "release"},
                         .columns  = {{"nodes", "platform.nodes"},
                                      {"global_batch", "strategy.global_batch"},
                                      {"microbatch", "strategy.microbatch_size"},
                                      {"tp", "strategy.tp"},
                                      {"pp", "strategy.pp"},
                                      {"cp", "strategy.cp"},
                                      {"virtual_stages", "strategy.virtual_stages"}},
                         .adjust   = adjust,
                         .seconds  = seconds},
                        options);
}

}  // namespace

ReproductionDef row() {
  return {
      "megatron_bridge", "19 stated throughputs of Llama 3 8B, 70B and 405B on 8 to 1024 H100, B200 and GB200 in fp8",
      "NVIDIA-NeMo/Megatron-Bridge, docs/performance-summary.md and performance-summary-archive.md (Apache-2.0)", run};
}

}  // namespace foreflow::reproduce::definitions::megatron_bridge
