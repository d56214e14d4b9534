// The answer for people: why strategies do not work, the best, and those that use less memory.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "foreflow/base/table.h"
#include "foreflow/base/text.h"
#include "search/results/columns.h"

namespace foreflow::search {
namespace {

constexpr std::string_view kOfPlatform = "platform.";

// The rankings of one result have the same columns: those that every ranking shows, and the keys that vary.
class Ranking {
 public:
  Ranking(const Result& result, const Goal& goal)
      : goal_(goal),
        hidden_(result.by_framework),
        own_(own_columns(goal)),
        disturbed_(result.ranked.front().spread.has_value()) {
    const std::vector<Candidate>& all = result.ranked;
    std::map<std::string, std::map<std::string, size_t>> used;
    for (const Candidate& candidate : all) {
      for (const auto& [key, value] : chosen(candidate)) ++used[key][value];
    }
    const auto varies = [&](const std::string& key) {
      const auto& values = used[key];
      return std::none_of(values.begin(), values.end(), [&](const auto& value) { return value.second == all.size(); });
    };
    for (const auto& [key, values] : used) {
      if (key.starts_with(kOfPlatform)) columns_.emplace_back(key, key.substr(kOfPlatform.size()));
    }
    if (used.contains("global_batch") && varies("global_batch")) columns_.emplace_back("global_batch", "batch");
    for (const char* key : {"dp", "tp", "pp"}) columns_.emplace_back(key, key);
    columns_.emplace_back("microbatches", "K");
    if (used.contains("schedule")) columns_.emplace_back("schedule", "schedule");
    const std::set<std::string_view> shown(kColumns.begin(), kColumns.end());
    for (const auto& [key, values] : used) {
      const bool differs = std::any_of(values.begin(), values.end(), [&name = key](const auto& value) {
        return differs_from_default(name, value.first);
      });
      const bool beside  = !shown.contains(key) && !key.starts_with(kOfPlatform);
      if (beside && (varies(key) || differs)) more_.push_back(key);
    }
  }

  std::string table(const std::vector<Candidate>& candidates, size_t top) const {
    Row head          = {""};
    std::string sides = ">";
    for (const auto& [key, title] : columns_) {
      head.push_back(title);
      sides += key == "schedule" ? '<' : '>';
    }
    if (disturbed_) {
      head.insert(head.end(), {"mean", "p95", "undisturbed"});
      sides += ">>>";
    } else {
      head.emplace_back("time");
      sides += '>';
    }
    head.insert(head.end(), {"samples/s", "memory"});
    for (const ObjectiveDef* objective : own_) head.emplace_back(objective->column);
    head.emplace_back("");
    sides += ">>" + std::string(own_.size(), '>') + "<";
    std::vector<Row> rows = {head};
    for (size_t i = 0; i < std::min(top, candidates.size()); ++i) rows.push_back(row(i + 1, candidates[i]));
    return aligned(rows, sides);
  }

 private:
  // Without the keys that the framework decides.
  Said chosen(const Candidate& candidate) const {
    Said all = said(candidate.strategy, candidate.placement, candidate.platform);
    for (const std::string& key : hidden_) all.erase(key);
    return all;
  }

  // ", the same with overlap_tensor 2, overlap_tensor 4"
  static std::string same_words(const Candidate& candidate, bool first) {
    std::string words;
    for (const Json& other : candidate.same) {
      words += words.empty() ? (first ? "the same with " : ", the same with ") : " or ";
      std::string keys;
      for (const auto& [key, value] : *other.if_object())
        keys += (keys.empty() ? "" : ", ") + key + " " + value.dump_compact();
      words += keys;
    }
    return words;
  }

  Row row(size_t place, const Candidate& candidate) const {
    const Said all  = chosen(candidate);
    const auto word = [&](const std::string& key) { return all.contains(key) ? all.at(key) : ""; };
    Row cells       = {std::to_string(place)};
    for (const auto& [key, title] : columns_) cells.push_back(word(key));
    std::string also;  // "zero 1, recompute full"
    for (const std::string& key : more_) {
      if (all.contains(key) && !is_default(key, all.at(key)))
        also += (also.empty() ? "" : ", ") + key + " " + all.at(key);
    }
    also += same_words(candidate, also.empty());
    if (disturbed_) {
      const Spread& spread = *candidate.spread;
      cells.insert(cells.end(), {format(spread.mean), format(spread.p95), format(spread.undisturbed)});
    } else {
      cells.push_back(format(candidate.iteration_time));
    }
    cells.insert(cells.end(), {fmt::format("{:.5g}", candidate.samples_per_second), format(candidate.peak_memory)});
    for (const ObjectiveDef* objective : own_)
      cells.push_back(fmt::format("{:.4g}", objective->value(candidate.figures(), goal_.terms)));
    cells.push_back(also);
    return cells;
  }

  std::vector<std::pair<std::string, std::string>> columns_;  // key and title
  std::vector<std::string> more_;
  const Goal& goal_;
  const std::set<std::string> hidden_;
  std::vector<const ObjectiveDef*> own_;
  bool disturbed_;
};

// Ranked by the mean over 20 disturbed worlds, the same for all: jitter {"amplitude":0.02}, ...
std::string worlds_line(const Result& result) {
  std::string kinds;
  for (const auto& [kind, value] : *result.disturbances.if_object())
    kinds += (kinds.empty() ? "" : ", ") + kind + " " + value.dump_compact();
  return fmt::format("Ranked by the {} over {} disturbed worlds, the same for all: {}\n",
                     result.risk == Risk::mean ? "mean" : "95th percentile", result.worlds, kinds);
}

// Two digits, or all before the point: "3.1 %", "180 %".
std::string percent(double share) {
  constexpr double kLarge = 0.995;
  return share < kLarge ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

std::string runner_up(double behind, const ObjectiveDef& objective) {
  constexpr double kSame = 1e-5;
  if (behind < kSame) return fmt::format("The second {}.\n", objective.as_good);
  return fmt::format("The second is {} behind.\n", percent(behind));
}

// How sure the ranking is.
std::string caveat(const Result& result, size_t top) {
  if (result.interrupted) {
    const std::string gap = result.gap ? fmt::format("no strategy is more than {} {} than the best here",
                                                     percent(*result.gap), result.goal.objective->better)
                                       : "others may be better";
    return "Interrupted: " + gap + ".\n";
  }
  if (result.exact >= std::min(top, result.ranked.size())) return "";
  if (result.exact == 0) return "Others may be better: not all were looked at.\n";
  return fmt::format("Beyond the first {}, strategies that were left out may be better.\n", result.exact);
}

// "1179 pruned", and how many nobody looked at where the search was interrupted or had a budget.
std::string left_out_words(const Result& result) {
  const std::string pruned = fmt::format("{} pruned", result.pruned());
  if (result.proven) return pruned;
  return (result.pruned() > 0 ? pruned + ", " : "") + fmt::format("{} not looked at", result.not_looked_at());
}

// Which keys were no choice.
std::string keys_line(const Result& result) {
  if (result.by_framework.empty()) return "";
  return "\nThe framework decides " + join(result.by_framework) + "; a list of values in the strategy has them tried\n";
}

}  // namespace

std::string progress_line(const Status& status, std::chrono::duration<double> elapsed) {
  const double rate = static_cast<double>(status.evaluated - status.reused) / std::max(elapsed.count(), 1e-3);
  std::string line  = fmt::format("search: {} of {} strategies decided, {} predicted ({:.2g} a second)", status.decided,
                                  status.points, status.evaluated, rate);
  if (status.best > 0) line += ", best " + status.goal.objective->text(status.best);
  if (status.gap) line += fmt::format(", at most {} better possible", percent(*status.gap));
  return line;
}

std::string to_text(const Result& result, size_t top) {
  const std::string all  = result.estimated ? fmt::format("About {:.2g}", static_cast<double>(result.points))
                                            : std::to_string(result.points);
  const std::string same = result.same > 0 ? fmt::format("{} the same as these, ", result.same) : "";
  // Each strategy counts once: of the infeasible ones, some are known to be so only when they are evaluated.
  const size_t works = result.ranked.size();
  const std::string tried =
      result.evaluated > works ? fmt::format(" ({} of them evaluated)", result.evaluated - works) : "";
  std::string text = fmt::format("{} strategies: {} evaluated, {}{} infeasible{}, {}\n", all, works, same,
                                 result.refused, tried, left_out_words(result));
  text += tally(result.reasons);
  if (result.ranked.empty()) {
    if (result.interrupted) return text + "\nNone was found yet\n";
    return text + (result.not_looked_at() > 0 ? "\nNone of those that were looked at works; raise --budget\n"
                                              : "\nNo strategy works\n");
  }
  if (result.worlds > 0) text += "\n" + worlds_line(result);
  const Goal& goal = result.goal;
  const Ranking ranking(result, goal);
  text += fmt::format("\nBest by {}", goal.objective->name);
  if (goal.terms.at_least > 0) text += fmt::format(", at {:g} samples/s or more", goal.terms.at_least);
  text += "\n" + ranking.table(result.ranked, top);
  if (result.ranked.size() > 1) text += runner_up(behind(result), *goal.objective);
  text += caveat(result, top);
  text += fmt::format("\n{} for the {}{}\n", goal.front[1]->superlative, goal.front[0]->quality,
                      result.exact_front ? "" : ", among those evaluated");
  return text + ranking.table(result.pareto, top) + keys_line(result);
}

}  // namespace foreflow::search
