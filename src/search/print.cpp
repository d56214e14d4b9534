#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "foreflow/search/search.h"

namespace foreflow::search {
namespace {

Json candidate_json(const Candidate& candidate) {
  Json json;
  json.set("strategy", candidate.strategy);
  json.set("iteration_time_s", candidate.iteration_time.value());
  json.set("throughput_samples_per_s", candidate.samples_per_second);
  json.set("peak_memory_bytes", candidate.peak_memory.value());
  return json;
}

// A scalar of a strategy without its quotes.
std::string word(const Json& strategy, std::string_view key) {
  const Json* value = strategy.find(key);
  if (value == nullptr) return "";
  return value->if_string() != nullptr ? *value->if_string() : value->dump_compact();
}

std::string table(const std::vector<Candidate>& candidates, size_t top) {
  std::string text = fmt::format("{:>4} {:>5} {:>5} {:>5} {:>5}  {:<12} {:>11} {:>14} {:>10}\n", "", "dp", "tp", "pp",
                                 "K", "schedule", "time", "samples/s", "memory");
  for (size_t i = 0; i < std::min(top, candidates.size()); ++i) {
    const Candidate& candidate = candidates[i];
    const Json& strategy       = candidate.strategy;
    text += fmt::format("{:>4} {:>5} {:>5} {:>5} {:>5}  {:<12} {:>11} {:>14.5g} {:>10}\n", i + 1, word(strategy, "dp"),
                        word(strategy, "tp"), word(strategy, "pp"), word(strategy, "microbatches"),
                        word(strategy, "schedule"), format(candidate.iteration_time), candidate.samples_per_second,
                        format(candidate.peak_memory));
  }
  return text;
}

// Reasons without their numbers, most frequent first.
std::string reasons(const std::vector<Infeasible>& infeasible) {
  constexpr size_t kShown = 5;
  std::map<std::string, size_t> counts;
  for (const Infeasible& point : infeasible) ++counts[point.why.substr(0, point.why.find(": D"))];
  std::vector<std::pair<std::string, size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < std::min(kShown, sorted.size()); ++i)
    text += fmt::format("{:>6} x {}\n", sorted[i].second, sorted[i].first);
  if (sorted.size() > kShown) text += fmt::format("       and {} more reasons\n", sorted.size() - kShown);
  return text;
}

}  // namespace

Json to_json(const Result& result, size_t top) {
  Json ranked = Json::array(), pareto = Json::array(), infeasible = Json::array();
  for (size_t i = 0; i < std::min(top, result.ranked.size()); ++i) ranked.push(candidate_json(result.ranked[i]));
  for (const Candidate& candidate : result.pareto) pareto.push(candidate_json(candidate));
  for (const Infeasible& point : result.infeasible)
    infeasible.push(Json::object().set("strategy", point.strategy).set("why", point.why));
  Json json;
  json.set("evaluated", result.evaluated);
  json.set("pruned", result.pruned);
  json.set("infeasible", std::move(infeasible));
  json.set("ranked", std::move(ranked));
  json.set("pareto", std::move(pareto));
  return json;
}

std::string to_text(const Result& result, size_t top) {
  std::string text = fmt::format("{} strategies: {} evaluated, {} infeasible, {} pruned\n",
                                 result.ranked.size() + result.infeasible.size(), result.evaluated,
                                 result.infeasible.size(), result.pruned);
  text += reasons(result.infeasible);
  if (result.ranked.empty()) return text + "\nNo strategy works\n";
  text += "\nBest by throughput\n" + table(result.ranked, top);
  return text + "\nLeast memory for the speed\n" + table(result.pareto, top);
}

std::string to_csv(const Result& result) {
  std::string text =
      "dp,tp,pp,microbatches,global_batch,schedule,iteration_time_s,throughput_samples_per_s,peak_memory_bytes\n";
  for (const Candidate& candidate : result.ranked) {
    for (const char* key : {"dp", "tp", "pp", "microbatches", "global_batch", "schedule"})
      text += word(candidate.strategy, key) + ",";
    text += fmt::format("{},{},{}\n", candidate.iteration_time.value(), candidate.samples_per_second,
                        candidate.peak_memory.value());
  }
  return text;
}

}  // namespace foreflow::search
