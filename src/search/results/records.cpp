// The answer for programs: every point of the space, ranked or not.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "foreflow/base/table.h"
#include "search/results/columns.h"

namespace foreflow::search {
namespace {

template <class Point>
Json point_json(const Point& point) {
  Json json = Json::object().set("strategy", point.strategy);
  if (!point.placement.is_null()) json.set("placement", point.placement);
  if (!point.platform.is_null()) json.set("platform", point.platform);
  return json;
}

Json disturbed_json(const Spread& spread) {
  Json json;
  json.set("undisturbed_time_s", spread.undisturbed.value()).set("mean_time_s", spread.mean.value());
  return json.set("p95_time_s", spread.p95.value());
}

Json candidate_json(const Candidate& candidate, const Goal& goal) {
  Json json = point_json(candidate);
  json.set("iteration_time_s", candidate.iteration_time.value());
  json.set("throughput_samples_per_s", candidate.samples_per_second);
  json.set("peak_memory_bytes", whole_bytes(candidate.peak_memory));
  for (const ObjectiveDef* objective : own_columns(goal))
    json.set(objective->key, objective->value(candidate.figures(), goal.terms));
  if (candidate.spread) json.set("disturbed", disturbed_json(*candidate.spread));
  if (!candidate.same.empty()) json.set("same", Json(Json::Array(candidate.same.begin(), candidate.same.end())));
  return json;
}

// Adds the members in which a goal differs from the usual one.
void add_goal(const Goal& goal, Json& json) {
  const Goal usual;
  if (goal.objective != usual.objective) json.set("objective", goal.objective->name);
  if (goal.front != usual.front) json.set("pareto_objectives", Json::Array{goal.front[0]->name, goal.front[1]->name});
  if (goal.terms.price > 0) json.set("price_per_device_hour", goal.terms.price);
  Json prices = Json::object();
  for (const auto& [kind, price] : goal.prices) prices.set(kind, price);
  if (!goal.prices.empty()) json.set("price_per_device_hour", std::move(prices));
  if (goal.terms.at_least > 0) json.set("at_least_samples_per_s", goal.terms.at_least);
}

std::string text_of(double number) { return fmt::format("{}", number); }

// Columns of all points: of the strategies, then what is known of them.
class Sheet {
 public:
  explicit Sheet(const Result& result)
      : keys_(kColumns.begin(), kColumns.end()), disturbed_(result.worlds > 0), goal_(result.goal) {
    std::set<std::string> more;
    const auto look = [&](const auto& points) {
      for (const auto& point : points) {
        for (const auto& [key, value] : said(point.strategy, point.placement, point.platform)) more.insert(key);
      }
    };
    look(result.ranked);
    look(result.infeasible);
    for (const std::string& key : more) {
      if (std::find(kColumns.begin(), kColumns.end(), key) == kColumns.end()) keys_.push_back(key);
    }
  }

  std::string head() const {
    Row values;
    for (const ObjectiveDef* objective : own_columns(goal_)) values.emplace_back(objective->key);
    return line(keys_, {"status", "iteration_time_s", "throughput_samples_per_s", "peak_memory_bytes", "why"},
                {"undisturbed_time_s", "mean_time_s", "p95_time_s"}, values);
  }

  std::string line(const Candidate& candidate) const {
    Row values;
    for (const ObjectiveDef* objective : own_columns(goal_))
      values.push_back(text_of(objective->value(candidate.figures(), goal_.terms)));
    return line(cells_of(candidate),
                {"ranked", text_of(candidate.iteration_time.value()), text_of(candidate.samples_per_second),
                 whole_bytes(candidate.peak_memory).dump_compact(), ""},
                cells_of(candidate.spread), values);
  }
  std::string line(const Infeasible& point) const {
    const Row none(own_columns(goal_).size());
    return line(cells_of(point), {"infeasible", "", "", "", point.why}, {"", "", ""}, none);
  }

 private:
  template <class Point>
  Row cells_of(const Point& point) const {
    const Said all = said(point.strategy, point.placement, point.platform);
    Row cells;
    for (const std::string& key : keys_) cells.push_back(all.contains(key) ? all.at(key) : "");
    return cells;
  }
  static Row cells_of(const std::optional<Spread>& spread) {
    if (!spread) return {"", "", ""};
    return {text_of(spread->undisturbed.value()), text_of(spread->mean.value()), text_of(spread->p95.value())};
  }

  // `spread` is shown where there are disturbed worlds; `values` are those of objectives with a column of their own.
  std::string line(Row cells, const Row& known, const Row& spread, const Row& values) const {
    cells.insert(cells.end(), known.begin(), known.end());
    if (disturbed_) cells.insert(cells.end(), spread.begin(), spread.end());
    cells.insert(cells.end(), values.begin(), values.end());
    return csv_line(cells);
  }

  Row keys_;
  bool disturbed_;
  const Goal& goal_;
};

}  // namespace

Json to_json(const Result& result, size_t top) {
  Json ranked = Json::array(), pareto = Json::array(), infeasible = Json::array();
  Json::Object reasons(result.reasons.begin(), result.reasons.end());
  for (size_t i = 0; i < std::min(top, result.ranked.size()); ++i)
    ranked.push(candidate_json(result.ranked[i], result.goal));
  for (const Candidate& candidate : result.pareto) pareto.push(candidate_json(candidate, result.goal));
  for (const Infeasible& point : result.infeasible) infeasible.push(point_json(point).set("why", point.why));
  Json json;
  json.set("method", result.method);
  add_goal(result.goal, json);
  json.set("strategies", result.points).set("strategies_estimated", result.estimated);
  json.set("evaluated", result.evaluated);
  if (result.worlds > 0) {
    json.set("worlds", result.worlds).set("risk", name(result.risk)).set("disturbances", result.disturbances);
  }
  if (result.same > 0) json.set("same", result.same);
  json.set("pruned", result.pruned());
  if (!result.proven) json.set("not_looked_at", result.not_looked_at());
  json.set("proven", result.proven).set("gap", result.gap ? Json(*result.gap) : Json());
  json.set("exact", result.exact);
  json.set("runner_up_behind", behind(result));
  json.set("infeasible_strategies", result.refused).set("infeasible_reasons", Json(std::move(reasons)));
  json.set("infeasible", std::move(infeasible));
  json.set("ranked", std::move(ranked));
  json.set("pareto", std::move(pareto));
  return json;
}

std::string to_csv(const Result& result) {
  const Sheet sheet(result);
  std::string text = sheet.head();
  for (const Candidate& candidate : result.ranked) {
    text += sheet.line(candidate);
    for (const Json& other : candidate.same) {
      Candidate twin = candidate;
      for (const auto& [key, value] : *other.if_object()) twin.strategy.set(key, value);
      text += sheet.line(twin);
    }
  }
  for (const Infeasible& point : result.infeasible) text += sheet.line(point);
  return text;
}

}  // namespace foreflow::search
