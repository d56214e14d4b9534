#include "search/exhaustive/survey.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "foreflow/base/process.h"
#include "foreflow/scenario/strategy_key.h"
#include "search/prices.h"

namespace foreflow::search {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// A number that may be infinite, and back.
Json finite(double number) { return std::isinf(number) ? Json() : Json(number); }
double or_infinite(const JsonView& json, double infinite) {
  return json.json().is_null() ? infinite : json.as_number();
}

// A family that is not learnt beforehand is learnt where it is met, so few legal points are overlooked at no harm.
constexpr size_t kMostTries = 16;

// Neighbouring branches have much in common, so every share of the work takes some in a row.
constexpr size_t kInARow = 64;

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

void refuse(const Branches& branches, const Refused& refused, size_t number, Survey& survey) {
  const size_t count = branches.points(refused.branch);
  if (survey.refused < kMostListed) survey.infeasible.emplace_back(number, refused);
  survey.points += count;
  survey.refused += count;
  survey.reasons[reason_of(refused.refusal)] += count;
}

std::string print(const Survey& survey) {
  Json prospects = Json::array(), infeasible = Json::array(), reasons = Json::array();
  for (const Prospect& prospect : survey.prospects) prospects.push(to_json(prospect));
  for (const auto& [number, refused] : survey.infeasible) {
    const Branch& branch = refused.branch;
    infeasible.push(Json::Array{number, branch.region, branch.depth, branch.point, json_of(refused.refusal)});
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
  survey.points += static_cast<size_t>(view.at("points").as_int());
  survey.refused += static_cast<size_t>(view.at("refused").as_int());
  survey.complete = survey.complete && view.at("complete").as_bool();
  survey.stopped  = survey.stopped || view.at("stopped").as_bool();
  for (const JsonView& reason : view.at("reasons").items())
    survey.reasons[reason.items()[0].as_string()] += static_cast<size_t>(reason.items()[1].as_int());
  for (const JsonView& one : view.at("infeasible").items()) {
    const auto items = one.items();
    const auto whole = [&](size_t i) { return static_cast<size_t>(items[i].as_int()); };
    survey.infeasible.emplace_back(whole(0), Refused{{whole(1), whole(2), items[3].json()}, read_refusal(items[4])});
  }
  for (const JsonView& prospect : view.at("prospects").items()) survey.prospects.push_back(read_prospect(prospect));
}

}  // namespace

Json to_json(const Prospect& prospect) {
  return Json(Json::Array{finite(prospect.most.samples_per_second), prospect.most.memory.value(), prospect.most.devices,
                          finite(prospect.score[0]), prospect.number, prospect.region, prospect.depth, prospect.point,
                          prospect.most.price, static_cast<int>(prospect.bounded_by), prospect.is_uncut});
}

Prospect read_prospect(const JsonView& json) {
  const auto items = json.items();
  const auto whole = [&](size_t i) { return static_cast<size_t>(items[i].as_int()); };
  const Figures most{or_infinite(items[0], kUnbounded), Bytes(items[1].as_number()), items[2].as_int(),
                     items[8].as_number()};
  // Only a bound of what is maximised may be infinite.
  const Score score{or_infinite(items[3], -kUnbounded), -most.samples_per_second, most.memory.value()};
  return {most,
          score,
          whole(4),
          whole(5),
          whole(6),
          items[7].as_string(),
          static_cast<BoundedBy>(items[9].as_int()),
          items[10].as_bool()};
}

Surveyor::Surveyor(const Question& question, const Options& options, size_t most)
    : question_(question),
      options_(options),
      most_(most),
      branches_(question.space()),
      refusals_(question),
      bounds_(options.jobs, options.stop) {}

std::optional<Refusal> Surveyor::hopeless(const Figures& most, const Cluster& cluster) const {
  const Bytes memory = largest_memory(*cluster.platform);
  if (most.memory <= memory) return too_slow(question_.goal().terms, most.samples_per_second);
  return Refusal(Cause::memory, "",
                 "does not fit in memory: needs " + format(most.memory) + " of " + format(memory) + " or more");
}

void Surveyor::visit_share(size_t share, size_t shares,
                           const std::function<void(const Refused& refused, size_t number)>& refuse,
                           const std::function<bool(const Branch& branch, size_t number)>& see) const {
  size_t number     = 0;
  const auto is_own = [&](size_t other) { return other / kInARow % shares == share; };
  const auto enter  = [&](const Branch& branch) {
    auto refusal = refusals_.of(branch);
    if (!refusal) return true;
    const size_t own = number++;
    if (is_own(own)) refuse({branch, *std::move(refusal)}, own);
    return false;
  };
  branches_.visit(enter, [&](const Branch& branch) {
    const size_t own = number++;
    return !is_own(own) || see(branch, own);
  });
}

// Each share looks for one point of every family; the families are then learnt from these.
void Surveyor::learn_families() {
  const auto shares = static_cast<size_t>(options_.jobs);
  const auto found  = map_in_children(shares, options_.jobs, [&](size_t share) {
    std::set<std::string> known;
    std::map<std::string, size_t> tries;
    Json points     = Json::array();
    const auto look = [&](const Branch& branch, size_t) {
      std::string part = family_part(branch.point);
      if (size_t& tried = tries[part]; tried++ < kMostTries) {
        for (const Json& point : branches_.families(branch)) {
          const ReadPoint read = question_.read(point);
          if (!read.scenario) break;
          tried = kMostTries;
          if (known.insert(bounds_.family(read)).second) points.push(point);
        }
      }
      return !options_.stop || !options_.stop();
    };
    visit_share(
         share, shares, [](const Refused&, size_t) {}, look);
    return points.dump_compact();
  });
  std::vector<ReadPoint> points;
  std::vector<const ReadPoint*> all;
  for (const std::string& text : found) {
    const Json parsed = parse_json(text, "survey");
    for (const Json& point : *parsed.if_array()) points.push_back(question_.read(point));
  }
  for (const ReadPoint& point : points) all.push_back(&point);
  bounds_.of(all);
}

Survey Surveyor::survey(const Prospect* after) {
  if (after == nullptr && options_.pruning != Pruning::none) learn_families();
  const auto shares = static_cast<size_t>(options_.jobs);
  Survey all;
  const auto found =
      map_in_children(shares, options_.jobs, [&](size_t share) { return print(survey_share(share, after)); });
  for (const std::string& share : found) add_share(share, all);
  std::sort(all.infeasible.begin(), all.infeasible.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::sort(all.prospects.begin(), all.prospects.end());
  if (all.prospects.size() > most_) {
    all.complete = false;
    all.prospects.erase(all.prospects.begin() + static_cast<ptrdiff_t>(most_), all.prospects.end());
  }
  return all;
}

Survey Surveyor::survey_share(size_t share, const Prospect* after) {
  Survey survey;
  const auto refuse_all = [&](const Refused& refused, size_t number) {
    if (after == nullptr) refuse(branches_, refused, number, survey);
  };
  visit_share(share, static_cast<size_t>(options_.jobs), refuse_all, [&](const Branch& branch, size_t number) {
    look_at(branch, number, after, survey);
    survey.stopped = options_.stop && options_.stop();
    return !survey.stopped;
  });
  return survey;
}

void Surveyor::look_at(const Branch& branch, size_t number, const Prospect* after, Survey& survey) {
  auto judged = judge(branch, number, nullptr);
  if (const auto* refused = std::get_if<Refused>(&judged)) {
    if (after == nullptr) refuse(branches_, *refused, number, survey);
    return;
  }
  if (after == nullptr) survey.points += branches_.points(branch);
  auto& prospect = std::get<Prospect>(judged);
  if (after != nullptr && !(*after < prospect)) return;
  if (survey.prospects.size() == most_) {
    survey.complete = false;
    if (!(prospect < survey.prospects.front())) return;
    std::pop_heap(survey.prospects.begin(), survey.prospects.end());
    survey.prospects.pop_back();
  }
  survey.prospects.push_back(std::move(prospect));
  std::push_heap(survey.prospects.begin(), survey.prospects.end());
}

// If all points are refused, so is the one with the first choice of every open dimension.
std::variant<Refused, Prospect> Surveyor::judge(const Branch& branch, size_t number, const Prospect* parent,
                                                const MicrobatchOf& microbatch) {
  const Json fast = branches_.fastest(branch);
  ReadPoint read  = question_.read(fast);
  Figures most{kUnbounded, Bytes(0), 1, least_price(*read.cluster)};
  if (read.scenario) {
    most.devices = read.scenario->strategy.devices();
  } else {
    const Json first = branches_.first_points(branch, 1).front();
    if (has_all(fast, first)) return Refused{branch, read.scenario.refusal()};
    const ReadPoint usual = question_.read(first);
    if (!usual.scenario) return Refused{branch, usual.scenario.refusal()};
    most.devices = usual.scenario->strategy.devices();
  }
  if (parent != nullptr) most = parent->most;
  const auto prospect = [&] {
    const Score score = score_of(question_.goal(), most);
    return Prospect{most, score, number, branch.region, branch.depth, branch.point.dump_compact()};
  };
  if (options_.pruning == Pruning::none) return prospect();
  const std::vector<scenario::Placement>& placements = this->placements(branch);
  Bound bound;
  if (read.scenario) {
    bound                   = bound_of(branch, read, microbatch);
    most.samples_per_second = std::min(most.samples_per_second, question_.most_samples_per_second(read, bound.time));
  }
  const Json lean = branches_.leanest(branch);
  if (!has_all(fast, lean)) {
    read         = question_.read(lean);
    bound.memory = read.scenario ? bounds_.of(read, placements).memory : Bytes(0);
  }
  most.memory = std::max(most.memory, bound.memory);
  if (auto refusal = hopeless(most, *read.cluster)) return Refused{branch, *std::move(refusal)};
  return prospect();
}

Bound Surveyor::bound_of(const Branch& branch, const ReadPoint& fastest, const MicrobatchOf& microbatch) {
  const std::vector<scenario::Placement>& placements = this->placements(branch);
  return bounds_.of(fastest, placements, microbatch ? microbatch(fastest, placements) : Seconds(0));
}

const std::vector<scenario::Placement>& Surveyor::placements(const Branch& branch) {
  static const std::vector<scenario::Placement> kOwn;
  const std::vector<Json> choices = branches_.counted(branch);
  if (choices.empty()) return kOwn;
  std::string text;
  for (const Json& choice : choices) text += choice.dump_compact();
  const auto [found, fresh] = placements_.try_emplace(std::move(text));
  // The placement does not depend on the strategy.
  for (size_t i = 0; fresh && i < choices.size(); ++i)
    found->second.push_back(question_.read(choices[i]).scenario->placement);
  return found->second;
}

void count_refused(Result& result, const Branches& branches, const Refused& refused) {
  const size_t count = branches.points(refused.branch);
  result.reasons[reason_of(refused.refusal)] += count;
  result.refused += count;
}

}  // namespace foreflow::search
