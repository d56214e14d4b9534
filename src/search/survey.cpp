#include "search/survey.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "foreflow/base/process.h"
#include "foreflow/scenario/strategy_key.h"

namespace foreflow::search {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// Neighbouring points have much in common, so every share of the work takes some in a row.
constexpr size_t kInARow = 256;

// Calls `see` with the points of one of several shares, and their numbers, until it returns false. Returns the number
// of points of the space that were met.
size_t visit_share(const Space& space, size_t share, size_t shares,
                   const std::function<bool(const Json& point, size_t number)>& see) {
  size_t number = 0;
  space.visit([&](const Json& point) {
    const size_t own = number++;
    return own / kInARow % shares != share || see(point, own);
  });
  return number;
}

// The members of a point on which the family of a legal point depends.
std::string family_part(const Json& point) {
  std::string part;
  for (const auto& [key, value] : *point.if_object()) {
    const scenario::StrategyKeyDef* row = scenario::strategy_keys().find(key);
    const bool counts = row != nullptr && (row->of_one_replica || row->name == "dp" || row->name == "global_batch");
    if (counts) part += key + "=" + value.dump_compact() + " ";
  }
  return part;
}

void refuse(const Json& point, size_t number, Refusal refusal, Survey& survey) {
  Result one;
  add_infeasible(one, point, std::move(refusal));
  ++survey.refused;
  ++survey.reasons[one.reasons.begin()->first];
  if (survey.infeasible.size() < kMostListed) survey.infeasible.emplace_back(number, std::move(one.infeasible[0]));
}

Json row_of(const Prospect& prospect) {
  return Json(Json::Array{std::isinf(prospect.fastest) ? Json() : Json(prospect.fastest), prospect.memory.value(),
                          prospect.number, prospect.point});
}

Prospect read_prospect(const JsonView& json) {
  const auto items = json.items();
  return {items[0].json().is_null() ? kUnbounded : items[0].as_number(), Bytes(items[1].as_number()),
          static_cast<size_t>(items[2].as_int()), items[3].as_string()};
}

std::string print(const Survey& survey) {
  Json prospects = Json::array(), infeasible = Json::array(), reasons = Json::array();
  for (const Prospect& prospect : survey.prospects) prospects.push(row_of(prospect));
  for (const auto& [number, point] : survey.infeasible) {
    Json one = Json::object();
    one.set("number", number).set("strategy", point.strategy).set("placement", point.placement);
    infeasible.push(one.set("refusal", json_of(point.refusal)).set("why", point.why));
  }
  for (const auto& [why, count] : survey.reasons) reasons.push(Json::Array{why, count});
  Json json = Json::object();
  json.set("points", survey.points).set("refused", survey.refused).set("complete", survey.complete);
  json.set("stopped", survey.stopped).set("reasons", std::move(reasons)).set("infeasible", std::move(infeasible));
  return json.set("prospects", std::move(prospects)).dump_compact();
}

// Adds what one share found.
void add_share(const std::string& text, Survey& survey) {
  const Json json = parse_json(text, "survey");
  const JsonView view(json, "survey");
  survey.points = std::max(survey.points, static_cast<size_t>(view.at("points").as_int()));
  survey.refused += static_cast<size_t>(view.at("refused").as_int());
  survey.complete = survey.complete && view.at("complete").as_bool();
  survey.stopped  = survey.stopped || view.at("stopped").as_bool();
  for (const JsonView& reason : view.at("reasons").items())
    survey.reasons[reason.items()[0].as_string()] += static_cast<size_t>(reason.items()[1].as_int());
  for (const JsonView& one : view.at("infeasible").items()) {
    survey.infeasible.emplace_back(static_cast<size_t>(one.at("number").as_int()),
                                   Infeasible{one.at("strategy").json(), one.at("placement").json(),
                                              read_refusal(one.at("refusal")), one.at("why").as_string()});
  }
  for (const JsonView& prospect : view.at("prospects").items()) survey.prospects.push_back(read_prospect(prospect));
}

}  // namespace

Surveyor::Surveyor(const Question& question, const Options& options, size_t most)
    : question_(question),
      options_(options),
      most_(most),
      memory_(largest_memory(*question.platform())),
      bounds_(*question.platform(), options.jobs) {
  if (options.pruning != Pruning::none) learn_families();
}

std::optional<Refusal> Surveyor::too_large(Bytes least) const {
  if (least <= memory_) return std::nullopt;
  return Refusal(Cause::memory, "",
                 "does not fit in memory: needs " + format(least) + " of " + format(memory_) + " or more");
}

// Each share looks for one point of every family; the families are then learnt from these.
void Surveyor::learn_families() {
  const auto shares = static_cast<size_t>(options_.jobs);
  const auto found  = map_in_children(shares, options_.jobs, [&](size_t share) {
    std::set<std::string> known, seen;
    Json points = Json::array();
    visit_share(question_.space(), share, shares, [&](const Json& point, size_t) {
      std::string part = family_part(point);
      if (seen.contains(part)) return true;
      const ReadPoint read = question_.read(point);
      if (!read.scenario) return true;
      seen.insert(std::move(part));
      if (known.insert(bounds_.family(*read.scenario)).second) points.push(point);
      return !options_.stop || !options_.stop();
    });
    return points.dump_compact();
  });
  std::vector<ReadPoint> points;
  std::vector<const scenario::Scenario*> scenarios;
  for (const std::string& text : found) {
    const Json parsed = parse_json(text, "survey");
    for (const Json& point : *parsed.if_array()) points.push_back(question_.read(point));
  }
  for (const ReadPoint& point : points) scenarios.push_back(&*point.scenario);
  bounds_.of(scenarios);
}

Survey Surveyor::survey(const Prospect* after) {
  const auto shares = static_cast<size_t>(options_.jobs);
  Survey all;
  const auto found =
      map_in_children(shares, options_.jobs, [&](size_t share) { return print(survey_share(share, after)); });
  for (const std::string& share : found) add_share(share, all);
  std::sort(all.infeasible.begin(), all.infeasible.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  if (all.infeasible.size() > kMostListed)
    all.infeasible.erase(all.infeasible.begin() + kMostListed, all.infeasible.end());
  std::sort(all.prospects.begin(), all.prospects.end());
  if (all.prospects.size() > most_) {
    all.complete = false;
    all.prospects.erase(all.prospects.begin() + static_cast<ptrdiff_t>(most_), all.prospects.end());
  }
  return all;
}

Survey Surveyor::survey_share(size_t share, const Prospect* after) {
  Survey survey;
  survey.points =
      visit_share(question_.space(), share, static_cast<size_t>(options_.jobs), [&](const Json& point, size_t number) {
        look_at(point, number, after, survey);
        survey.stopped = options_.stop && options_.stop();
        return !survey.stopped;
      });
  return survey;
}

void Surveyor::look_at(const Json& point, size_t number, const Prospect* after, Survey& survey) {
  const ReadPoint read = question_.read(point);
  if (!read.scenario) {
    if (after == nullptr) refuse(point, number, read.scenario.refusal(), survey);
    return;
  }
  Bound bound = options_.pruning == Pruning::none ? Bound() : bounds_.of(*read.scenario);
  bound.time  = question_.least_factor() * bound.time;
  if (auto refusal = too_large(bound.memory)) {
    if (after == nullptr) refuse(point, number, *std::move(refusal), survey);
    return;
  }
  const auto samples = static_cast<double>(read.scenario->strategy.global_batch);
  Prospect prospect{bound.time > Seconds(0) ? samples / bound.time.value() : kUnbounded, bound.memory, number, ""};
  if (after != nullptr && !(*after < prospect)) return;
  const bool full = survey.prospects.size() == most_;
  if (full) {
    survey.complete = false;
    if (!(prospect < survey.prospects.front())) return;
    std::pop_heap(survey.prospects.begin(), survey.prospects.end());
    survey.prospects.pop_back();
  }
  prospect.point = point.dump_compact();
  survey.prospects.push_back(std::move(prospect));
  std::push_heap(survey.prospects.begin(), survey.prospects.end());
}

}  // namespace foreflow::search
