// Exhaustive search, by branch and bound: every point of the space counts, but only those are predicted that bounds do
// not rule out.
//
//   guess             a point that probably works, so that there is something to show from the first seconds on
//   survey            branches with few dimensions decided, by a bound that takes microseconds: the most promising ones
//                     are kept
//   expand            the most promising branch, into those that decide one more dimension
//   refine            the most promising branch, by a bound that takes milliseconds, when its stages are decided
//   predict           the most promising point that is refined already
//   dive              from time to time, into one promising branch after the other until a point is predicted, so that
//   a
//                     search that is interrupted has something to show
//
// It ends when no branch that is left can have a point of the result. When all branches that a survey kept are decided
// and others are not ruled out, the next survey keeps the most promising of those.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "foreflow/base/worker_pool.h"
#include "search/guesses.h"
#include "search/open_branches.h"
#include "search/placement_forms.h"
#include "search/refine.h"
#include "search/refused_list.h"
#include "search/survey.h"
#include "search/twins.h"

namespace foreflow::search::definitions::exhaustive {
namespace {

constexpr size_t kProspects = 30'000;  // that a survey keeps

// The number of branches that are expanded or refined, or of points that are predicted, at the same time. Which ones
// are is decided by the answers to all before them, so the same points are predicted with any number of workers.
constexpr std::array<size_t, 3> kAtOnce = {512, 1024, 8};
// The number of them in one request: they have much in common.
constexpr std::array<size_t, 2> kTogether = {64, 64};
// A dive gives up after this number of branches of a survey in which no point may work.
constexpr size_t kTries = 8;
// A dive that finds no point ends after this number of predictions.
constexpr size_t kTriedPoints = 4;
// After a dive that found a point, the next one is due when twice as many branches and points are decided, and at least
// kFoundOne; after another one, when kFoundNone more are.
constexpr size_t kFoundOne = 4096, kFoundNone = 1024;
// A space of more points takes a while: it is begun with guesses, of which at most kGuesses are predicted until one
// works, and searched with dives.
constexpr double kLarge   = 100'000;
constexpr size_t kGuesses = 3;
constexpr double kNothing = std::numeric_limits<double>::infinity();  // the penalty of no point at all
constexpr auto kPredict   = "p";  // requests for predictions begin with this; others with the step

class Search {
 public:
  Search(const Question& question, const Options& options)
      : question_(question),
        options_(options),
        surveyor_(question, options, kProspects),
        standing_(question.goal(), options.top, options.pruning),
        refused_(surveyor_.branches()),
        waiting_(standing_),
        same_(question.worlds().count > 0),
        predictor_(question.worlds()),
        refiner_(predictor_) {}

  Result run() {
    is_large_ = options_.pruning != Pruning::none && question_.space().estimate() > kLarge;
    if (is_large_) guess();
    if (standing_.best()) next_dive_ = kFoundOne;
    Survey survey   = surveyor_.survey(nullptr);
    result_.points  = survey.points;
    result_.refused = survey.refused;
    result_.reasons = survey.reasons;
    for (const auto& [number, refused] : survey.infeasible) refused_.add(refused);
    survey.infeasible   = {};
    result_.interrupted = survey.stopped;
    result_.estimated   = survey.stopped;  // as many as were met
    while (!result_.interrupted) {
      const std::optional<Prospect> last = survey.complete ? std::nullopt : std::optional(survey.prospects.back());
      beyond_                            = last ? double{last->score[0]} : kNothing;
      decide(std::move(survey.prospects));
      if (!last || result_.interrupted || standing_.rules_out(last->score)) break;
      survey              = surveyor_.survey(&*last);
      result_.interrupted = survey.stopped;
    }
    refused_.list(result_);
    add_same();
    result_.proven = !result_.interrupted;
    result_.gap    = result_.proven ? 0 : gap_;
    result_.exact  = result_.interrupted ? 0 : options_.pruning == Pruning::none ? result_.ranked.size() : options_.top;
    result_.exact_front = result_.proven && options_.pruning != Pruning::top;
    return std::move(result_);
  }

 private:
  // Predicts a point or a few. One that does not work counts when the search meets it.
  void guess() {
    WorkerPool workers(1, [this](const std::string& request) { return answer(request); });
    for (const Branch& guess : first_guesses(question_, branches(), kGuesses)) {
      if (is_stopped() || standing_.best()) return;
      Branch branch = guess;
      if (const auto whole = unchunked(branch)) branch.point = *whole;
      if (const auto plain = branches().plain(branch)) branch.point = plain->point;
      const std::string point = branch.point.dump_compact();
      const auto predictions  = question_.kept().predictions({point}, workers, kPredict);
      if (guessed_.emplace(point, admitted(predictions.front(), question_.goal().terms)).first->second.refusal)
        continue;
      note(branch, point, guessed_.at(point));
      report({});
    }
  }

  // Adds a prediction to the result. `point` is the text of the branch.
  void note(const Branch& branch, const std::string& point, const Prediction& prediction) {
    if (prediction.refusal) {
      if (prediction.predicted) ++result_.evaluated;
      refusals_.emplace(point, *prediction.refusal);
      return refuse({branch, *prediction.refusal});
    }
    const ReadPoint read = question_.read(branch.point);
    places_.emplace(point, result_.ranked.size());
    search::add(result_, read, prediction);
    standing_.add(figures_of(prediction, read));
  }

  void refuse(const Refused& refused) {
    count_refused(result_, branches(), refused);
    refused_.add(refused);
  }

  // Decides the branches, as far as they are not ruled out.
  void decide(std::vector<Prospect> prospects) {
    waiting_.clear();
    for (Prospect& prospect : prospects) add(std::move(prospect));
    WorkerPool workers(static_cast<size_t>(options_.jobs),
                       [this](const std::string& request) { return answer(request); });
    for (;;) {
      if (is_time_to_dive()) dive(workers);
      std::vector<Entry> chosen = is_stopped() ? std::vector<Entry>() : waiting_.take(kAtOnce);
      report(chosen);
      if (chosen.empty()) return;
      take(std::move(chosen), workers);
    }
  }

  bool is_stopped() {
    result_.interrupted = result_.interrupted || (options_.stop && options_.stop());
    return result_.interrupted;
  }

  // The next step of the chosen, which is the same for all of them.
  void take(std::vector<Entry> chosen, WorkerPool& workers) {
    taken_ += chosen.size();
    switch (chosen.front().next) {
      case NextStep::expand: expand(chosen, workers); break;
      case NextStep::refine: refine(std::move(chosen), workers); break;
      case NextStep::predict: predict(chosen, workers); break;
    }
  }

  bool is_time_to_dive() const { return is_large_ && taken_ >= next_dive_; }

  // Decides one branch of the survey after the other, the most promising first, until a point works.
  void dive(WorkerPool& workers) {
    const size_t found = result_.ranked.size(), predicted = result_.evaluated;
    for (size_t tries = 0; tries < kTries && !waiting_.empty() && result_.evaluated - predicted < kTriedPoints;
         ++tries) {
      const size_t number = waiting_.most_promising().prospect.number;
      for (;;) {
        if (is_stopped()) return;
        std::vector<Entry> chosen = waiting_.take_within(number);
        if (chosen.empty()) break;
        report(chosen);
        take(std::move(chosen), workers);
        if (result_.ranked.size() > found) {
          next_dive_ = 2 * std::max(taken_, kFoundOne);
          return;
        }
        if (result_.evaluated - predicted >= kTriedPoints) break;
      }
    }
    next_dive_ = taken_ + kFoundNone;
  }

  void add(Prospect prospect) {
    const Branch branch = prospect.branch();
    if (branches().is_point(branch)) {
      if (const auto guess = guessed_.find(prospect.point); guess != guessed_.end()) {
        if (guess->second.refusal) note(branch, guess->first, guess->second);
        return;
      }
      if (const auto plain = branches().plain(branch)) return twins_.add(branch.point, plain->point, plain->key);
    }
    NextStep next      = branches().is_point(branch) ? NextStep::predict : NextStep::expand;
    const bool refines = options_.pruning == Pruning::none ? unchunked(branch).has_value() : true;
    if (refines && branches().can_be_refined(branch)) {
      if (prospect.is_refined && prospect.is_uncut && add_uncut(branch)) return;
      if (!prospect.is_refined) next = NextStep::refine;
    } else if (refines && !prospect.is_sketched && branches().can_be_sketched(branch)) {
      next = NextStep::refine;
    }
    waiting_.push({std::move(prospect), next, branches().points(branch)});
  }

  // True: the branch is a point that does the same as the one without chunks.
  bool add_uncut(const Branch& branch) {
    const auto plain = unchunked(branch);
    if (plain) twins_.add(branch.point, *plain, "overlap_tensor");
    return plain.has_value();
  }

  const Branches& branches() const { return surveyor_.branches(); }

  void expand(const std::vector<Entry>& chosen, WorkerPool& workers) {
    std::vector<size_t> order(chosen.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (const std::string& text : ask(chosen, order, workers)) {
      const Json answers = parse_json(text, "branches");
      for (const JsonView& child : JsonView(answers, "branches").items()) {
        Prospect prospect = read_prospect(child.at("prospect"));
        if (child.has("refusal"))
          refuse({prospect.branch(), read_refusal(child.at("refusal"))});
        else
          add(std::move(prospect));
      }
    }
  }

  void predict(const std::vector<Entry>& chosen, WorkerPool& workers) {
    std::vector<std::string> keys, points, asked;
    for (const Entry& entry : chosen) {
      const std::string& point = entry.prospect.point;
      keys.push_back(same_.key(question_.read(parse_json(point, "point")), point));
      if (!predicted_.emplace(keys.back(), Prediction()).second) continue;
      points.push_back(point);
      asked.push_back(keys.back());
    }
    const std::vector<Prediction> predictions = question_.kept().predictions(points, workers, kPredict);
    for (size_t i = 0; i < asked.size(); ++i) predicted_[asked[i]] = predictions[i];
    for (size_t i = 0; i < chosen.size(); ++i) {
      const Prospect& prospect = chosen[i].prospect;
      note(prospect.branch(), prospect.point, admitted(predicted_.at(keys[i]), question_.goal().terms));
    }
  }

  // Neighbours in the order of their text share a model of stages more often than not. Points that do the same have the
  // same bound.
  void refine(std::vector<Entry> chosen, WorkerPool& workers) {
    std::vector<std::pair<std::string, size_t>> keys;
    std::map<std::string, size_t> known;
    std::vector<size_t> same;
    for (size_t i = 0; i < chosen.size(); ++i) {
      const Branch branch    = chosen[i].prospect.branch();
      const Json fastest     = branches().fastest(branch);
      const ReadPoint read   = question_.read(fastest);
      const bool refines     = branches().can_be_refined(branch);
      const std::string name = refines ? same_.key(read, fastest.dump_compact()) : std::to_string(i);
      same.push_back(known.emplace(name, i).first->second);
      if (same[i] == i) keys.emplace_back(read.scenario ? refiner_.key(*read.scenario) : "", i);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<size_t> order;
    for (const auto& [key, i] : keys) order.push_back(i);
    std::vector<Refined> all(chosen.size());
    size_t next = 0;
    for (const std::string& text : ask(chosen, order, workers)) {
      for (const Refined& one : read_refined(text)) all[order[next++]] = one;
    }
    for (size_t i = 0; i < chosen.size(); ++i) refined(std::move(chosen[i]), all[same[i]]);
  }

  // The answers about the chosen branches in this order, some of them together.
  std::vector<std::string> ask(const std::vector<Entry>& chosen, const std::vector<size_t>& order,
                               WorkerPool& workers) const {
    const auto step = static_cast<size_t>(chosen.front().next);
    std::vector<std::string> requests;
    for (size_t first = 0; first < order.size(); first += kTogether[step]) {
      Json together = Json::array();
      for (size_t i = first; i < std::min(first + kTogether[step], order.size()); ++i)
        together.push(to_json(chosen[order[i]].prospect));
      requests.push_back(std::to_string(step) + together.dump_compact());
    }
    return workers.ask(requests);
  }

  // In a worker: children of branches, refined bounds of branches, or the prediction of a point.
  std::string answer(const std::string& request) {
    const Json asked = parse_json(request.substr(1), "branches");
    if (request[0] == *kPredict) return print(predictor_.predict(question_.read(asked)));
    const auto step = static_cast<NextStep>(request[0] - '0');
    Json children   = Json::array();
    std::vector<Refined> all;
    for (const JsonView& one : JsonView(asked, "branches").items()) {
      const Prospect prospect = read_prospect(one);
      const Branch branch     = prospect.branch();
      if (step == NextStep::refine) all.push_back(refined_bound(branch));
      if (step != NextStep::expand) continue;
      for (const Branch& child : branches().children(branch)) children.push(judged(child, prospect));
    }
    return step == NextStep::refine ? print(all) : children.dump_compact();
  }

  Refined refined_bound(const Branch& branch) {
    const Json fastest   = branches().fastest(branch);
    const ReadPoint read = question_.read(fastest);
    if (!read.scenario) return {};
    if (branches().can_be_refined(branch)) return refiner_.refine(read);
    std::vector<ReadPoint> points;
    for (const Json& placement : branches().counted(branch)) {
      points.push_back(question_.read(with(fastest, placement)));
      if (!points.back().scenario) return {};
    }
    return {refiner_.sketch(points.empty() ? std::vector{read} : points)};
  }

  Json judged(const Branch& child, const Prospect& parent) {
    auto found = surveyor_.judge(child, parent.number, &parent);
    Json json  = Json::object();
    if (const auto* refused = std::get_if<Refused>(&found)) {
      const Prospect place{{}, {}, parent.number, child.region, child.depth, child.point.dump_compact()};
      return json.set("prospect", to_json(place)).set("refusal", json_of(refused->refusal));
    }
    // The refined bound of a branch is that of its fastest point.
    Prospect& own   = std::get<Prospect>(found);
    own.is_refined  = parent.is_refined && branches().fastest(child) == branches().fastest(parent.branch());
    own.is_uncut    = parent.is_uncut;
    own.is_sketched = parent.is_sketched;
    return json.set("prospect", to_json(own));
  }

  // The point without `overlap_tensor`, where the space has it and the branch is a point with it.
  std::optional<Json> unchunked(const Branch& branch) const {
    if (!branches().is_point(branch)) return std::nullopt;
    return branches().sibling(branch, "overlap_tensor", int64_t{1});
  }

  // Points that do the same as one of the ranking stand there with it, the others with their refusal.
  void add_same() {
    for (const auto& [point, said] : twins_.all()) {
      if (const auto place = places_.find(point); place != places_.end()) {
        std::vector<Json>& same = result_.ranked[place->second].same;
        const auto before       = [](const Json& a, const Json& b) { return a.dump_compact() < b.dump_compact(); };
        same.insert(std::upper_bound(same.begin(), same.end(), said, before), said);
        ++result_.same;
      } else if (const auto refusal = refusals_.find(point); refusal != refusals_.end()) {
        Json twin = parse_json(point, "point");
        for (const auto& [key, value] : *said.if_object()) twin.set(key, value);
        add_infeasible(result_, twin, refusal->second);
      }
    }
  }

  void refined(Entry entry, const Refined& bound) {
    Prospect& prospect  = entry.prospect;
    const Branch branch = prospect.branch();
    if (options_.pruning != Pruning::none && !sharpened(prospect, branch, bound)) return;
    prospect.is_sketched = true;
    prospect.is_refined  = branches().can_be_refined(branch);
    prospect.is_uncut    = bound.is_uncut;
    if (bound.is_uncut && add_uncut(branch)) return;
    entry.next = branches().is_point(branch) ? NextStep::predict : NextStep::expand;
    waiting_.push(std::move(entry));
  }

  // With the refined bound of the branch. False: it has no point that is good enough.
  bool sharpened(Prospect& prospect, const Branch& branch, const Bound& bound) {
    Figures& most        = prospect.most;
    most.memory          = std::max(most.memory, bound.memory);
    const Seconds time   = question_.least_factor() * bound.time;
    const ReadPoint read = question_.read(branches().fastest(branch));
    if (time > Seconds(0)) {
      const auto samples      = static_cast<double>(read.scenario->strategy.global_batch);
      most.samples_per_second = std::min(most.samples_per_second, samples / time.value());
    }
    if (auto refusal = surveyor_.hopeless(most, *read.cluster)) {
      refuse({branch, *std::move(refusal)});
      return false;
    }
    prospect.score = score_of(question_.goal(), most);
    return true;
  }

  // The chosen branches are open until they are answered.
  void report(const std::vector<Entry>& chosen) {
    const ObjectiveDef& objective    = *question_.goal().objective;
    const std::optional<double> best = standing_.best();
    gap_.reset();
    if (best) {
      double rest = std::min(beyond_, waiting_.empty() ? kNothing : waiting_.front().prospect.score[0]);
      if (!chosen.empty()) rest = std::min(rest, chosen.front().prospect.score[0]);
      gap_ = gap_between(objective, *best, rest);
    }
    if (!options_.report) return;
    size_t open = waiting_.points();
    for (const Entry& entry : chosen) open += entry.points;
    options_.report({.points    = result_.points,
                     .decided   = result_.points - std::min(result_.points, open),
                     .evaluated = result_.evaluated,
                     .reused    = question_.kept().reused(),
                     .best      = std::abs(best.value_or(0)),
                     .gap       = gap_,
                     .goal      = question_.goal()});
  }

  const Question& question_;
  const Options& options_;
  Surveyor surveyor_;
  Standing standing_;
  RefusedList refused_;
  OpenBranches waiting_;
  SamePredictions same_;
  std::map<std::string, Prediction> predicted_;  // by their names
  Predictor predictor_;                          // used in the workers
  Refiner refiner_;                              // likewise
  Result result_;
  bool is_large_ = false;
  size_t taken_ = 0, next_dive_ = 0;
  std::map<std::string, Prediction> guessed_;  // by the texts of the points
  double beyond_ = -kNothing;                  // no point that the survey left out has a lower penalty
  std::optional<double> gap_;
  // Of predicted points, by their text: the place in the ranking, or the refusal.
  std::map<std::string, size_t> places_;
  std::map<std::string, Refusal> refusals_;
  Twins twins_;
};

Result run(const Question& question, const Options& options) { return Search(question, options).run(); }

}  // namespace

MethodDef row() {
  return {"exhaustive",
          "every strategy, of any number: predicted unless a lower bound rules it out, so the first of the ranking are "
          "proven",
          run};
}

}  // namespace foreflow::search::definitions::exhaustive
