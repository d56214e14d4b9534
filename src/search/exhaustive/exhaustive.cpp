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
//                     a search that is interrupted has something to show
//
// It ends when no branch that is left can have a point of the result. When all branches that a survey kept are decided
// and others are not ruled out, the next survey keeps the most promising of those.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "foreflow/base/nth.h"
#include "foreflow/base/worker_pool.h"
#include "search/bounds/refine.h"
#include "search/exhaustive/branch_worker.h"
#include "search/exhaustive/distinct_points.h"
#include "search/exhaustive/guesses.h"
#include "search/exhaustive/open_branches.h"
#include "search/exhaustive/outcome.h"
#include "search/exhaustive/survey.h"

namespace foreflow::search::definitions::exhaustive {
namespace {

constexpr size_t kProspects = 30'000;  // that a survey keeps

// The number of branches that are expanded or refined, or of points that are predicted, at the same time: a round of
// all three has parts of these. Which ones it has is decided by the answers to all rounds before, so the same points
// are predicted with any number of workers. Those of the last round may turn out to be ruled out by others of it.
constexpr std::array<size_t, 3> kAtOnce = {512, 128, 8};
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

// The point without `overlap_tensor`, where the space has it and the branch is a point with it.
std::optional<Json> unchunked(const Branches& branches, const Branch& branch) {
  if (!branches.is_point(branch)) return std::nullopt;
  return branches.sibling(branch, "overlap_tensor", int64_t{1});
}

std::vector<const Prospect*> prospects_of(const std::vector<Entry>& entries) {
  std::vector<const Prospect*> prospects;
  for (const Entry& entry : entries) prospects.push_back(&entry.prospect);
  return prospects;
}

std::vector<std::string> points_of(const std::vector<Entry>& entries) {
  std::vector<std::string> points;
  for (const Entry& entry : entries) points.push_back(entry.prospect.point);
  return points;
}

class Search {
 public:
  Search(const Question& question, const Options& options)
      : question_(question),
        options_(options),
        surveyor_(question, options, kProspects),
        worker_(question, surveyor_),
        outcome_(question, options, surveyor_.branches()),
        waiting_(outcome_.standing()),
        distinct_(question, surveyor_.branches()) {}

  Result run() {
    is_large_ = options_.pruning != Pruning::none && question_.space().estimate() > kLarge;
    if (is_large_) guess();
    if (outcome_.standing().best()) next_dive_ = kFoundOne;
    Survey survey = surveyor_.survey(nullptr);
    outcome_.begin(survey);
    survey.infeasible = {};
    interrupted_      = survey.stopped;
    while (!interrupted_) {
      const std::optional<Prospect> last = survey.complete ? std::nullopt : std::optional(survey.prospects.back());
      beyond_                            = last ? double{last->score[0]} : kNothing;
      decide(std::move(survey.prospects));
      if (!last || interrupted_ || outcome_.standing().rules_out(last->score)) break;
      survey       = surveyor_.survey(&*last);
      interrupted_ = survey.stopped;
    }
    const size_t ruled_out = waiting_.ruled_out();
    Result result          = std::move(outcome_).finish(interrupted_, gap_);
    result.ruled_out       = ruled_out;
    return result;
  }

 private:
  // Predicts a point or a few. One that does not work counts when the search meets it.
  void guess() {
    WorkerPool workers(1, [this](const std::string& request) { return worker_.answer(request); });
    for (const Branch& guess : first_guesses(question_, branches(), kGuesses)) {
      if (is_stopped() || outcome_.standing().best()) return;
      Branch branch = guess;
      if (const auto whole = unchunked(branches(), branch)) branch.point = *whole;
      if (const auto plain = branches().plain(branch)) branch.point = plain->point;
      const std::string point = branch.point.dump_compact();
      Round round;
      const auto predictions = question_.kept().predictions({point}, round, kPredictRequest);
      round.ask(workers);
      const Prediction prediction = predictions().front().value();
      if (guessed_.emplace(point, admitted(prediction, question_.goal().terms)).first->second.refusal) continue;
      outcome_.add(branch, point, guessed_.at(point));
      report({});
    }
  }

  // Decides the branches, as far as they are not ruled out.
  void decide(std::vector<Prospect> prospects) {
    waiting_.clear();
    for (Prospect& prospect : prospects) add(std::move(prospect));
    WorkerPool workers(static_cast<size_t>(options_.jobs),
                       [this](const std::string& request) { return worker_.answer(request); });
    for (;;) {
      if (is_time_to_dive()) dive(workers);
      std::vector<Entry> chosen = is_stopped() ? std::vector<Entry>() : waiting_.take(kAtOnce);
      report(chosen);
      if (chosen.empty()) return;
      take(std::move(chosen), workers);
    }
  }

  bool is_stopped() {
    interrupted_ = interrupted_ || (options_.stop && options_.stop());
    return interrupted_;
  }

  // The next step of each of the chosen.
  void take(std::vector<Entry> chosen, WorkerPool& workers) {
    taken_ += chosen.size();
    std::array<std::vector<Entry>, 3> by_step;
    for (Entry& entry : chosen) nth(by_step, entry.next).push_back(std::move(entry));
    auto& [to_expand, to_refine, to_predict] = by_step;
    Round round;
    const auto predictions = distinct_.predictions(points_of(to_predict), round);  // they take longest
    const auto bounds      = distinct_.bounds(prospects_of(to_refine), round);
    const auto children    = ask_children(prospects_of(to_expand), round);
    round.ask(workers);
    predicted(to_predict, predictions());
    refined(std::move(to_refine), bounds());
    expanded(children());
  }

  bool is_time_to_dive() const { return is_large_ && taken_ >= next_dive_; }

  // Decides one branch of the survey after the other, the most promising first, until a point works.
  void dive(WorkerPool& workers) {
    const size_t found = outcome_.ranked(), predicted = outcome_.evaluated();
    for (size_t tries = 0; tries < kTries && !waiting_.empty() && outcome_.evaluated() - predicted < kTriedPoints;
         ++tries) {
      const size_t number = waiting_.most_promising().prospect.number;
      for (;;) {
        if (is_stopped()) return;
        std::vector<Entry> chosen = waiting_.take_within(number);
        if (chosen.empty()) break;
        report(chosen);
        take(std::move(chosen), workers);
        if (outcome_.ranked() > found) {
          next_dive_ = 2 * std::max(taken_, kFoundOne);
          return;
        }
        if (outcome_.evaluated() - predicted >= kTriedPoints) break;
      }
    }
    next_dive_ = taken_ + kFoundNone;
  }

  void add(Prospect prospect) {
    const Branch branch = prospect.branch();
    if (branches().is_point(branch)) {
      if (const auto guess = guessed_.find(prospect.point); guess != guessed_.end()) {
        if (guess->second.refusal) outcome_.add(branch, guess->first, guess->second);
        return;
      }
      if (const auto plain = branches().plain(branch)) return outcome_.add_twin(branch.point, plain->point, plain->key);
    }
    NextStep next      = branches().is_point(branch) ? NextStep::predict : NextStep::expand;
    const bool refines = options_.pruning == Pruning::none ? unchunked(branches(), branch).has_value() : true;
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
    const auto plain = unchunked(branches(), branch);
    if (plain) outcome_.add_twin(branch.point, *plain, "overlap_tensor");
    return plain.has_value();
  }

  const Branches& branches() const { return surveyor_.branches(); }

  void expanded(std::vector<std::variant<Refused, Prospect>> children) {
    for (auto& child : children) {
      if (const auto* refused = std::get_if<Refused>(&child))
        outcome_.refuse(*refused);
      else
        add(std::get<Prospect>(std::move(child)));
    }
  }

  void predicted(const std::vector<Entry>& chosen, const std::vector<Prediction>& predictions) {
    for (size_t i = 0; i < chosen.size(); ++i) {
      const Prospect& prospect = chosen[i].prospect;
      outcome_.add(prospect.branch(), prospect.point, admitted(predictions[i], question_.goal().terms));
    }
  }

  void refined(std::vector<Entry> chosen, const std::vector<Refined>& bounds) {
    for (size_t i = 0; i < chosen.size(); ++i) refined(std::move(chosen[i]), bounds[i]);
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

  // Tightens the figures of `prospect` by the refined bound of its branch. False, and the branch is refused, when they
  // show that it has no point that is good enough.
  bool sharpened(Prospect& prospect, const Branch& branch, const Bound& bound) {
    Figures& most           = prospect.most;
    const ReadPoint read    = question_.read(branches().fastest(branch));
    most.memory             = std::max(most.memory, bound.memory);
    most.samples_per_second = std::min(most.samples_per_second, question_.most_samples_per_second(read, bound.time));
    if (auto refusal = surveyor_.hopeless(most, *read.cluster)) {
      outcome_.refuse({branch, *std::move(refusal)});
      return false;
    }
    prospect.score = score_of(question_.goal(), most);
    return true;
  }

  // Reports the progress. `chosen` are the branches that workers are at, which count as open until they are answered.
  void report(const std::vector<Entry>& chosen) {
    const ObjectiveDef& objective    = *question_.goal().objective;
    const std::optional<double> best = outcome_.standing().best();
    gap_.reset();
    if (best) {
      double rest = std::min(beyond_, waiting_.empty() ? kNothing : waiting_.front().prospect.score[0]);
      if (!chosen.empty()) rest = std::min(rest, chosen.front().prospect.score[0]);
      gap_ = gap_between(objective, *best, rest);
    }
    if (!options_.report) return;
    size_t open = waiting_.points();
    for (const Entry& entry : chosen) open += entry.points;
    options_.report({.points    = outcome_.points(),
                     .decided   = outcome_.points() - std::min(outcome_.points(), open),
                     .evaluated = outcome_.evaluated(),
                     .reused    = question_.kept().reused(),
                     .best      = std::abs(best.value_or(0)),
                     .gap       = gap_,
                     .goal      = question_.goal()});
  }

  const Question& question_;
  const Options& options_;
  Surveyor surveyor_;
  BranchWorker worker_;  // used by the worker processes only
  Outcome outcome_;
  OpenBranches waiting_;
  DistinctPoints distinct_;
  std::map<std::string, Prediction> guessed_;  // by the texts of the points
  bool is_large_    = false;
  bool interrupted_ = false;
  size_t taken_ = 0, next_dive_ = 0;
  double beyond_ = -kNothing;  // no point that the survey left out has a lower penalty
  std::optional<double> gap_;
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
