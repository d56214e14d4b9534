#include "cli/advice.h"

#include <fmt/format.h>

#include <algorithm>

namespace foreflow::cli {
namespace {

int64_t batch_of_replica(const scenario::Strategy& strategy) { return strategy.global_batch / strategy.dp; }

bool splits_further(const scenario::Strategy& strategy) { return strategy.microbatches < batch_of_replica(strategy); }

std::string on_pipeline(const scenario::Strategy& strategy) {
  if (strategy.pp <= strategy.microbatches || !splits_further(strategy)) return "";
  return fmt::format(
      "strategy.microbatches: {} for a pipeline of {} devices, most of which wait; {} or more would fill it",
      strategy.microbatches, strategy.pp, strategy.pp);
}

// Contexts that are neighbours see more positions the later they come.
std::string on_contexts(const scenario::Scenario& scenario) {
  const scenario::Strategy& strategy  = scenario.strategy;
  const workload::WorkloadDef* family = scenario.workload.family;
  const bool is_causal                = family != nullptr && family->traits.is_causal && !family->traits.has_experts;
  const auto attention                = strategy.context_attention;
  const bool is_even =
      attention != transform::ContextAttention::all_gather && attention != transform::ContextAttention::ring;
  if (strategy.cp == 1 || !is_causal || is_even) return "";
  return fmt::format(
      "strategy.context_attention: with {0} the last of the {1} ranks of cp has the most causal attention to compute; "
      "striped_{0} shares it evenly",
      transform::name(attention), strategy.cp);
}

// Ranks of one tensor-parallel group that route different tokens exchange different ones.
std::string on_experts(const scenario::Scenario& scenario) {
  const scenario::Strategy& strategy = scenario.strategy;
  const int64_t parts                = int64_t{strategy.tp} * strategy.cp;
  const bool is_apart =
      strategy.sequence_parallel && std::max<int64_t>(scenario.workload.size("routing_groups"), 1) % parts == 0;
  if (strategy.tp == 1 || strategy.ep == 1 || is_apart) return "";
  return fmt::format(
      "strategy.ep: each of the {} ranks of tp sends all tokens to the experts; with sequence_parallel and {} "
      "workload.routing_groups, or a multiple, each sends a part",
      strategy.tp, parts);
}

// Large models are trained in 16 bits.
std::string on_dtype(const scenario::Scenario& scenario, const report::Summary& summary) {
  constexpr double kLarge  = 1e9;
  const auto is_not_stated = [&] {
    const JsonView root = scenario.root();
    return root.has("workload") && !root.at("workload").has("dtype");
  };
  if (scenario.workload.dtype != ir::DType::f32 || summary.job.parameters < kLarge || !is_not_stated()) return "";
  return "workload.dtype: none is stated, so this is f32; models of this size run in bf16 or f16";
}

std::vector<std::string> what_lowers_memory(const scenario::Scenario& scenario) {
  const scenario::Strategy& strategy  = scenario.strategy;
  const workload::WorkloadDef* family = scenario.workload.family;
  const bool has_sequences            = family != nullptr && family->traits.is_transformer;
  std::vector<std::string> keys;
  if (strategy.recompute.kind == transform::Recompute::Kind::none) keys.emplace_back("strategy.recompute");
  if (splits_further(strategy)) keys.emplace_back("more strategy.microbatches");
  if (has_sequences && strategy.tp > 1 && !strategy.sequence_parallel) keys.emplace_back("strategy.sequence_parallel");
  if (strategy.dp > 1 && strategy.zero == 0) keys.emplace_back("strategy.zero");
  return keys;
}

std::string on_memory(const scenario::Scenario& scenario, const report::Summary& summary) {
  const auto needs_most = std::max_element(
      summary.devices.begin(), summary.devices.end(),
      [](const auto& a, const auto& b) { return a.peak_memory - a.capacity < b.peak_memory - b.capacity; });
  const std::vector<std::string> keys = what_lowers_memory(scenario);
  if (needs_most == summary.devices.end() || needs_most->fits || keys.empty()) return "";
  return fmt::format("{} needs {} of its {}; {} may lower it", needs_most->name, format(needs_most->peak_memory),
                     format(needs_most->capacity), list_or(keys));
}

}  // namespace

std::vector<std::string> advice(const scenario::Scenario& scenario, const report::Summary& summary) {
  std::vector<std::string> all;
  if (!scenario.jobs.empty()) return all;
  if (std::string line = on_pipeline(scenario.strategy); !line.empty()) all.push_back(std::move(line));
  if (std::string line = on_dtype(scenario, summary); !line.empty()) all.push_back(std::move(line));
  if (scenario.workload.mode != workload::Mode::training) return all;
  if (std::string line = on_contexts(scenario); !line.empty()) all.push_back(std::move(line));
  if (std::string line = on_experts(scenario); !line.empty()) all.push_back(std::move(line));
  if (std::string line = on_memory(scenario, summary); !line.empty()) all.push_back(std::move(line));
  return all;
}

}  // namespace foreflow::cli
