#include "cli/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/platform/platform.h"
#include "foreflow/report/memory.h"
#include "foreflow/scenario/run.h"

namespace foreflow::cli {
namespace {

int64_t batch_of_replica(const scenario::Strategy& strategy) { return strategy.global_batch / strategy.dp; }

bool splits_further(const scenario::Strategy& strategy) { return strategy.microbatches < batch_of_replica(strategy); }

// Each microbatch of a decoded token reads all weights again, so more of them are no gain.
std::string on_pipeline(const scenario::Scenario& scenario) {
  const scenario::Strategy& strategy = scenario.strategy;
  if (scenario.workload.decodes || strategy.pp <= strategy.microbatches || !splits_further(strategy)) return "";
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
  constexpr double kLarge = 1e9;
  const bool is_stated    = scenario.stated.has("workload.dtype");
  if (scenario.workload.dtype != ir::DType::f32 || summary.job.parameters < kLarge || is_stated) return "";
  return "workload.dtype: none is stated, so this is f32; models of this size run in bf16 or f16";
}

// The setting that recomputes more than the strategy does; empty: none does.
std::string more_recomputation(const transform::Recompute& how) {
  using Kind = transform::Recompute::Kind;
  if (how.kind == Kind::none) return "strategy.recompute";
  const bool is_full = how.kind == Kind::blocks && how.blocks == 1;
  return is_full || how.kind == Kind::optimal ? "" : "strategy.recompute full";
}

std::vector<std::string> what_lowers_memory(const scenario::Scenario& scenario) {
  const scenario::Strategy& strategy  = scenario.strategy;
  const workload::WorkloadDef* family = scenario.workload.family;
  const bool has_sequences            = family != nullptr && family->traits.is_transformer;
  std::vector<std::string> keys;
  if (const std::string key = more_recomputation(strategy.recompute); !key.empty()) keys.push_back(key);
  if (splits_further(strategy)) keys.emplace_back("more strategy.microbatches");
  if (has_sequences && strategy.tp > 1 && !strategy.sequence_parallel) keys.emplace_back("strategy.sequence_parallel");
  if (strategy.dp > 1 && strategy.zero < 3)
    keys.emplace_back(strategy.zero > 0 ? "a higher strategy.zero" : "strategy.zero");
  if (!strategy.offload) keys.emplace_back("strategy.offload");
  return keys;
}

// The keys that split more of a transformer. Other models cannot always be split further.
std::vector<std::string> what_takes_more_devices(const scenario::Scenario& scenario) {
  const workload::WorkloadDef* family = scenario.workload.family;
  if (family == nullptr || !family->traits.is_transformer) return {};
  std::vector<std::string> keys{"more strategy.tp", "more strategy.pp"};
  if (scenario.strategy.zero > 0) keys.emplace_back("more strategy.dp");
  return keys;
}

// The device that lacks most memory; null: all have enough.
const report::DeviceSummary* needs_most(const report::Summary& summary) {
  const auto found = std::max_element(summary.devices.begin(), summary.devices.end(), [](const auto& a, const auto& b) {
    return a.peak_memory - a.capacity < b.peak_memory - b.capacity;
  });
  return found == summary.devices.end() || found->fits ? nullptr : &*found;
}

std::string may_lower(const report::DeviceSummary& device, const std::vector<std::string>& keys) {
  return fmt::format("{} needs {} of its {}{}", device.name, format(device.peak_memory), format(device.capacity),
                     keys.empty() ? "" : fmt::format("; {} may lower it", list_or(keys)));
}

std::string on_memory(const scenario::Scenario& scenario, const report::Summary& summary) {
  const auto* device = needs_most(summary);
  if (device == nullptr) return "";
  std::vector<std::string> keys = what_lowers_memory(scenario);
  if (keys.empty()) keys = what_takes_more_devices(scenario);
  return may_lower(*device, keys);
}

// Results that are gathered count as communication, as other messages that are in memory do.
std::string on_gathered_results(const scenario::Scenario& scenario, const scenario::Outcome& outcome) {
  const scenario::Strategy& strategy = scenario.strategy;
  const auto* device                 = needs_most(outcome.summary);
  if (device == nullptr || strategy.tp == 1 || strategy.results != transform::Results::gather) return "";
  const auto number = static_cast<int>(device - outcome.summary.devices.data());
  for (const report::MemoryPeak& peak :
       report::memory_peaks(outcome.summary, outcome.program, outcome.timeline, report::PeaksOf::fullest)) {
    const bool is_its    = std::find(peak.devices.begin(), peak.devices.end(), number) != peak.devices.end();
    const Bytes gathered = peak.classes[static_cast<size_t>(stream::MemoryClass::communication)];
    if (is_its && peak.size - gathered <= device->capacity)
      return may_lower(*device, {"strategy.gather_results=false"});
  }
  return "";
}

// A type without an entry in the data sheet has the peak of f32 (Device::peak).
std::string on_units(const scenario::Scenario& scenario, const report::Summary& summary,
                     const platform::Platform& platform) {
  const std::optional<ir::DType> dtype = scenario.workload.dtype;
  if (!dtype || ir::size_of(*dtype) >= ir::size_of(ir::DType::f32)) return "";
  const std::string name(ir::short_name(*dtype));
  for (const report::DeviceSummary& used : summary.devices) {
    const std::optional<int> number = platform.find_device(used.place);
    if (!number) continue;
    const platform::Device& device = nth(platform.devices(), *number);
    if (device.peaks.contains(name)) continue;
    const std::string why =
        fmt::format("workload.dtype: {} has no units of {}, whose products run at the rate of f32", device.kind, name);
    return name == "bf16" && device.peaks.contains("f16") ? why + "; f16 has units" : why;
  }
  return "";
}

std::string on_network_cards(const scenario::Scenario& scenario) {
  if (!scenario.stated.has("platform.nics_per_node")) return "";
  for (const platform::Part& part : scenario.platform.recipe.parts) {
    if (part.nics <= part.gpus) continue;
    return fmt::format(
        "platform.nics_per_node: each of the {} GPUs of a node uses one NIC, so {} of the {} carry nothing", part.gpus,
        part.nics - part.gpus, part.nics);
  }
  return "";
}

// How many servers have the ranks that share the first experts; nothing where the order is not possible.
std::optional<size_t> nodes_of_experts(const scenario::Scenario& scenario, const platform::Platform& platform) {
  const auto places = scenario::try_places(scenario, platform);
  if (!places) return std::nullopt;
  const scenario::Strategy& strategy = scenario.strategy;
  const int ranks                    = strategy.tp * strategy.cp * strategy.replicas_sharing();
  std::set<std::string> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.insert(nth(platform.devices(), nth(*places, rank)).node);
  return nodes.size();
}

// Replicas that share experts exchange all tokens; in the order that holds by default the stages of one replica lie
// between them.
std::string on_places_of_experts(const scenario::Scenario& scenario, const platform::Platform& platform) {
  const scenario::Strategy& strategy = scenario.strategy;
  if (scenario.stated.has("placement.order") || strategy.ep == 1 || strategy.pp == 1 ||
      strategy.replicas_sharing() == 1)
    return "";
  using scenario::Dimension;
  scenario::Scenario other = scenario;
  other.placement.order    = {Dimension::tp, Dimension::cp, Dimension::dp, Dimension::pp};
  const auto here = nodes_of_experts(scenario, platform), there = nodes_of_experts(other, platform);
  if (!here || !there || *there >= *here) return "";
  return fmt::format(
      "placement.order: the {} ranks that share experts are on {} servers, between which all their tokens go; with "
      "tp-cp-dp-pp they are on {}",
      strategy.tp * strategy.cp * strategy.replicas_sharing(), *here, *there);
}

bool decodes_with_experts(const scenario::Scenario& scenario) {
  const workload::WorkloadDef* family = scenario.workload.family;
  return scenario.workload.decodes && family != nullptr && family->traits.has_experts;
}

// A decoded token has a place at every expert, filled or not, which costs arithmetic and messages. With few tokens the
// weights cost more, which only the experts that are chosen read.
std::string on_places_of_tokens(const scenario::Scenario& scenario) {
  constexpr int64_t kFew             = 64;
  const scenario::Strategy& strategy = scenario.strategy;
  if (!decodes_with_experts(scenario)) return "";
  const int64_t experts = scenario.workload.size("experts"), chosen = scenario.workload.size("top_k");
  const int64_t tokens = strategy.microbatch_size() * strategy.replicas_sharing();
  if (tokens <= kFew || 2 * chosen > experts) return "";
  return fmt::format(
      "workload.top_k: each of {} tokens is sent to all {} experts and computed there, where it chooses {}; the time "
      "of experts is an upper bound",
      tokens, experts, chosen);
}

// The default algorithm sends a message to each other rank, one after the other; those of decoded tokens are small.
std::string on_messages_of_experts(const scenario::Scenario& scenario, const platform::Platform& platform) {
  constexpr int kFew                 = 16;
  const scenario::Strategy& strategy = scenario.strategy;
  const auto kind                    = static_cast<size_t>(collective::Kind::all_to_all);
  const bool is_chosen = scenario.collectives.algorithms[kind] != nullptr || !scenario.collectives.groups.empty();
  if (!decodes_with_experts(scenario) || is_chosen || strategy.ep <= kFew) return "";
  const auto servers = nodes_of_experts(scenario, platform);
  if (!servers || *servers < 2) return "";
  return fmt::format(
      "collective.all_to_all: each of the {} ranks that share experts, on {} servers, sends the others a small message "
      "one after the other; auto, or a collective.library, takes less time",
      strategy.ep, *servers);
}

// The seconds and the number, for each device, of sums over so many ranks of parts whose time is the latency of their
// links. A link of 50 GB/s carries such a part in a microsecond, and latencies are several.
struct SmallSums {
  Seconds time;
  double count = 0;
};

SmallSums small_sums_over(int ranks, const report::Summary& summary) {
  constexpr Bytes kSmall{65536};
  SmallSums found;
  for (const report::CollectiveSummary& one : summary.collectives) {
    if (one.kind != collective::name(collective::Kind::all_reduce) || one.ranks != ranks) continue;
    if (one.bytes / ranks > kSmall) continue;
    const double shares = static_cast<double>(ranks) / static_cast<double>(summary.device_count);
    found.time += shares * one.time;
    found.count += shares * static_cast<double>(one.count);
  }
  return found;
}

// By default each gradient goes round a ring by itself, in two steps for each rank.
std::string on_small_sums(const scenario::Scenario& scenario, const report::Summary& summary) {
  constexpr int kFew                   = 16;
  const scenario::Strategy& strategy   = scenario.strategy;
  const transform::DataParallel copies = strategy.data_parallel();
  const int ranks                      = strategy.most_copies();
  if (ranks <= kFew || copies.zero > 0 || ranks == strategy.tp) return "";  // sums over tp are none of gradients
  const SmallSums sums = small_sums_over(ranks, summary);
  if (2 * sums.time < summary.iteration_time) return "";
  const bool is_chosen =
      scenario.collectives.algorithms[static_cast<size_t>(collective::Kind::all_reduce)] != nullptr ||
      !scenario.collectives.groups.empty();
  std::vector<std::string> keys;
  if (copies.bucket == Bytes(0) && !copies.by_block && sums.count > 1.5)
    keys.emplace_back("with strategy.bucket_size, such as 25MB, gradients travel together");
  if (!is_chosen) {
    keys.push_back(
        fmt::format("collective.all_reduce auto, or a collective.library, may take fewer steps than the {} "
                    "of a ring",
                    2 * (ranks - 1)));
  }
  if (keys.empty()) return "";
  return fmt::format(
      "strategy.dp: {:.3g} % of the time is that of {:.0f} all-reduces of gradients over {} ranks, so "
      "small that latencies decide; {}",
      100 * (sums.time / summary.iteration_time), sums.count, ranks, fmt::join(keys, "; "));
}

// The degrees of tensor parallelism of all groups, in the order of their ranks.
std::vector<int> shards_of_groups(const scenario::Strategy& strategy) {
  const int sharing = strategy.replicas_sharing();
  std::vector<int> all;
  for (int outer = 0; outer < strategy.dp / sharing; ++outer) {
    for (int stage = 0; stage < strategy.pp; ++stage)
      all.insert(all.end(), static_cast<size_t>(sharing) * static_cast<size_t>(strategy.contexts_of(stage)),
                 strategy.shards_of(stage));
  }
  return all;
}

// True where servers have equally many devices, which groups of this many fill. Needs no list of all devices.
bool fill_servers(int group, const platform::Platform& platform) {
  const auto devices = static_cast<int>(platform.devices().size());
  int of_first       = 1;
  while (of_first < devices && platform.node(of_first) == platform.node(0)) ++of_first;
  return of_first % group == 0 && platform.node(devices - 1) - platform.node(0) + 1 == devices / of_first;
}

// Groups that follow each other are cut by the ends of servers that their degrees do not fill.
std::string on_places_of_shards(const scenario::Scenario& scenario, const platform::Platform& platform) {
  const scenario::Strategy& strategy = scenario.strategy;
  const bool is_equal                = !strategy.has_unequal_stages();
  if (is_equal && fill_servers(strategy.tp, platform)) return "";
  for (const char* key : {"placement.order", "placement.policy", "placement.devices"}) {
    if (scenario.stated.has(key)) return "";
  }
  const auto places = scenario::try_places(scenario, platform);
  if (!places) return "";
  const auto node_of = [&](int rank) { return platform.node(nth(*places, rank)); };
  std::map<int, int> sizes;
  for (int device = 0; device < static_cast<int>(platform.devices().size()); ++device) ++sizes[platform.node(device)];
  const std::vector<int> groups = shards_of_groups(strategy);
  int first = 0, cut = 0;
  for (const int shards : groups) {
    bool is_cut = false;
    for (int rank = first + 1; rank < first + shards; ++rank) is_cut = is_cut || node_of(rank) != node_of(first);
    cut += is_cut && shards <= sizes[node_of(first)] ? 1 : 0;
    first += shards;
  }
  if (cut == 0) return "";
  return fmt::format(
      "{}: {} of the {} tensor-parallel groups would fit on a server, but {} on several, between which the messages of "
      "each layer go; degrees that fill servers, or placement.devices, keep them together",
      is_equal ? "strategy.tp" : "strategy.stage_tp", cut, groups.size(), cut == 1 ? "lies" : "lie");
}

}  // namespace

std::vector<std::string> advice(const scenario::Scenario& scenario, const scenario::Outcome& outcome) {
  const report::Summary& summary     = outcome.summary;
  const platform::Platform& platform = *outcome.platform;
  std::vector<std::string> all       = outcome.remarks;
  if (!scenario.jobs.empty()) return all;
  const auto add = [&](std::string line) {
    if (!line.empty()) all.push_back(std::move(line));
  };
  add(on_pipeline(scenario));
  add(on_dtype(scenario, summary));
  add(on_units(scenario, summary, platform));
  add(on_network_cards(scenario));
  add(on_places_of_experts(scenario, platform));
  add(on_places_of_shards(scenario, platform));
  add(on_messages_of_experts(scenario, platform));
  if (scenario.workload.trains()) {
    add(on_contexts(scenario));
    add(on_experts(scenario));
    add(on_small_sums(scenario, summary));
    add(on_memory(scenario, summary));
  } else {
    add(on_places_of_tokens(scenario));
    add(on_gathered_results(scenario, outcome));
  }
  return all;
}

}  // namespace foreflow::cli
