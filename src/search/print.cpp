#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "foreflow/search/search.h"

namespace foreflow::search {
namespace {

constexpr std::array<std::string_view, 6> kColumns = {"dp", "tp", "pp", "microbatches", "global_batch", "schedule"};

template <class Point>
Json point_json(const Point& point) {
  Json json = Json::object().set("strategy", point.strategy);
  if (!point.placement.is_null()) json.set("placement", point.placement);
  return json;
}

Json candidate_json(const Candidate& candidate) {
  Json json = point_json(candidate);
  json.set("iteration_time_s", candidate.iteration_time.value());
  json.set("throughput_samples_per_s", candidate.samples_per_second);
  json.set("peak_memory_bytes", candidate.peak_memory.value());
  return json;
}

// Without quotes where it is a word.
std::string plain(const Json& value) {
  return value.if_string() != nullptr ? *value.if_string() : value.dump_compact();
}

std::string word(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  return value == nullptr ? "" : plain(*value);
}

// What has no column of its own.
std::vector<std::pair<std::string, std::string>> others(const Candidate& candidate) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [key, value] : *candidate.strategy.if_object()) {
    if (std::find(kColumns.begin(), kColumns.end(), key) == kColumns.end()) all.emplace_back(key, plain(value));
  }
  if (candidate.placement.if_object() == nullptr) {
    if (!candidate.placement.is_null()) all.emplace_back("placement", plain(candidate.placement));
    return all;
  }
  for (const auto& [key, value] : *candidate.placement.if_object()) all.emplace_back("placement." + key, plain(value));
  return all;
}

// "zero 1, recompute full": of what varies among the candidates.
std::string rest(const Candidate& candidate, const std::map<std::string, std::map<std::string, size_t>>& used,
                 size_t count) {
  std::string text;
  for (const auto& [key, value] : others(candidate)) {
    if (used.at(key).at(value) != count) text += (text.empty() ? "" : ", ") + key + " " + value;
  }
  return text;
}

std::map<std::string, std::map<std::string, size_t>> uses(const std::vector<Candidate>& candidates) {
  std::map<std::string, std::map<std::string, size_t>> used;
  for (const Candidate& candidate : candidates) {
    for (const auto& [key, value] : others(candidate)) ++used[key][value];
  }
  return used;
}

std::string table(const std::vector<Candidate>& candidates, const std::vector<Candidate>& all, size_t top) {
  const auto used         = uses(all);
  const bool many_batches = std::any_of(all.begin(), all.end(), [&](const Candidate& candidate) {
    return word(candidate.strategy, "global_batch") != word(all.front().strategy, "global_batch");
  });
  const auto batch        = [&](std::string_view text) { return many_batches ? fmt::format(" {:>8}", text) : ""; };
  std::string text =
      fmt::format("{:>4}{} {:>5} {:>5} {:>5} {:>5}  {:<12} {:>11} {:>14} {:>10}\n", "", batch("batch"), "dp", "tp",
                  "pp", "K", "schedule", "time", "samples/s", "memory");
  for (size_t i = 0; i < std::min(top, candidates.size()); ++i) {
    const Candidate& candidate = candidates[i];
    const Json& strategy       = candidate.strategy;
    const std::string also     = rest(candidate, used, all.size());
    text += fmt::format("{:>4}{} {:>5} {:>5} {:>5} {:>5}  {:<12} {:>11} {:>14.5g} {:>10}{}\n", i + 1,
                        batch(word(strategy, "global_batch")), word(strategy, "dp"), word(strategy, "tp"),
                        word(strategy, "pp"), word(strategy, "microbatches"), word(strategy, "schedule"),
                        format(candidate.iteration_time), candidate.samples_per_second, format(candidate.peak_memory),
                        also.empty() ? "" : "  " + also);
  }
  return text;
}

// Reasons without their numbers, most frequent first.
std::string reasons(const std::vector<Infeasible>& infeasible) {
  constexpr size_t kShown = 5;
  std::map<std::string, size_t> counts;
  for (const Infeasible& point : infeasible) {
    constexpr std::string_view kMemory = "does not fit in memory";
    ++counts[point.why.starts_with(kMemory) ? std::string(kMemory) : point.why];
  }
  std::vector<std::pair<std::string, size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < std::min(kShown, sorted.size()); ++i)
    text += fmt::format("{:>6} x {}\n", sorted[i].second, sorted[i].first);
  if (sorted.size() > kShown) text += fmt::format("       and {} more reasons\n", sorted.size() - kShown);
  return text;
}

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

std::string runner_up(double behind) {
  constexpr double kSame = 1e-5;
  return behind < kSame ? "The second is as fast.\n" : fmt::format("The second is {:.2g} % behind.\n", 100 * behind);
}

// How sure the ranking is.
std::string caveat(const Result& result, size_t top) {
  if (result.exact >= std::min(top, result.ranked.size())) return "";
  if (result.exact == 0) return "Others may be better: not all were looked at.\n";
  return fmt::format("Beyond the first {}, strategies that were left out may be better.\n", result.exact);
}

}  // namespace

Json to_json(const Result& result, size_t top) {
  Json ranked = Json::array(), pareto = Json::array(), infeasible = Json::array(), pruned = Json::array();
  for (size_t i = 0; i < std::min(top, result.ranked.size()); ++i) ranked.push(candidate_json(result.ranked[i]));
  for (const Candidate& candidate : result.pareto) pareto.push(candidate_json(candidate));
  for (const Infeasible& point : result.infeasible) infeasible.push(point_json(point).set("why", point.why));
  for (const Pruned& point : result.pruned) {
    pruned.push(point_json(point)
                    .set("least_time_s", point.least_time.value())
                    .set("least_memory_bytes", point.least_memory.value()));
  }
  Json json;
  json.set("method", result.method);
  json.set("points", result.points);
  json.set("evaluated", result.evaluated);
  json.set("pruned", result.pruned.size());
  json.set("exact", result.exact);
  json.set("runner_up_behind", behind(result));
  json.set("infeasible", std::move(infeasible));
  json.set("ranked", std::move(ranked));
  json.set("pareto", std::move(pareto));
  json.set("pruned_points", std::move(pruned));
  return json;
}

std::string to_text(const Result& result, size_t top) {
  std::string text = fmt::format("{} strategies: {} evaluated, {} infeasible, {} pruned\n", result.points,
                                 result.evaluated, result.infeasible.size(), result.pruned.size());
  text += reasons(result.infeasible);
  if (result.ranked.empty()) return text + "\nNo strategy works\n";
  text += "\nBest by throughput\n" + table(result.ranked, result.ranked, top);
  if (result.ranked.size() > 1) text += runner_up(behind(result));
  text += caveat(result, top);
  return text + "\nLeast memory for the speed\n" + table(result.pareto, result.ranked, top);
}

std::string to_csv(const Result& result) {
  std::vector<std::string> more;
  for (const auto& [key, values] : uses(result.ranked)) more.push_back(key);
  std::string text;
  for (const std::string_view key : kColumns) text += std::string(key) + ",";
  text += "iteration_time_s,throughput_samples_per_s,peak_memory_bytes";
  for (const std::string& key : more) text += "," + key;
  text += "\n";
  for (const Candidate& candidate : result.ranked) {
    for (const std::string_view key : kColumns) text += quoted(word(candidate.strategy, key)) + ",";
    text += fmt::format("{},{},{}", candidate.iteration_time.value(), candidate.samples_per_second,
                        candidate.peak_memory.value());
    const auto said = others(candidate);
    const std::map<std::string, std::string> own(said.begin(), said.end());
    for (const std::string& key : more) text += "," + (own.contains(key) ? quoted(own.at(key)) : "");
    text += "\n";
  }
  return text;
}

}  // namespace foreflow::search
