// Exhaustive search, by branch and bound: every point of the space counts, but only those are predicted that bounds do
// not rule out.
//
//   guess             a point that probably works, so that there is something to show from the first seconds on
//   survey            branches with few dimensions decided, by a bound that takes microseconds: the most promising ones
//                     are kept
//   expand            the most promising branch, into those that decide one more dimension
//   refine            the most promising branch, by tighter and tighter bounds (BoundedBy), which take milliseconds
//   attempt           a point, in the first few of many disturbed worlds: those that suffer most are told apart early
//   predict           the most promising point that is refined already
//   dive              from time to time, into one promising branch after the other until a point is predicted, so that
//                     a search that is interrupted has something to show
//
// Several rounds of these steps are under way at once. The search ends when no branch that is left can have a point of
// the result. When all branches that a survey kept are decided and others are not ruled out, the next survey keeps the
// most promising of those.
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <memory>

#include "foreflow/base/nth.h"
#include "foreflow/base/worker_pool.h"
#include "search/bounds/refine.h"
#include "search/exhaustive/branch_worker.h"
#include "search/exhaustive/distinct_points.h"
#include "search/exhaustive/dives.h"
#include "search/exhaustive/guesses.h"
#include "search/exhaustive/open_branches.h"
#include "search/exhaustive/outcome.h"
#include "search/exhaustive/survey.h"

namespace foreflow::search::definitions::exhaustive {
namespace {

constexpr size_t kProspects = 30'000;  // that a survey keeps

// The number of branches that are expanded or refined, or of points that are tried or predicted, in one round: a round
// of several has parts of these.
constexpr std::array<size_t, kSteps> kAtOnce = {256, 128, 8, 4};
// The number of rounds that are under way, so that workers have something to do while the last answers to a round come
// in. The first of them is answered before another one is chosen, so the same points are predicted with any number of
// workers. Those of the last rounds may turn out to be ruled out by others of them.
constexpr size_t kUnderWay = 2;
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

// A round that workers are at.
struct Asked {
  std::array<std::vector<Entry>, kSteps> by_step;
  bool is_of_dive = false;
  Round round;
  Later<std::vector<Prediction>> predictions;
  Later<std::vector<Refined>> bounds, attempts;
  Later<std::vector<std::variant<Refused, Prospect>>> children;
};

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
    // A prediction in many worlds takes long, so there is one guess to show and no dive.
    const bool has_shown = question_.worlds().count > 0 && outcome_.standing().best();
    dives_.emplace(waiting_, outcome_, is_large_ && !has_shown);
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
      round.begin(workers);
      if (!round.finish(workers, [this] { return is_stopped(); })) return;
      const Prediction prediction = predictions().front().value();
      if (guessed_.emplace(point, admitted(prediction, question_.goal().terms)).first->second.refusal) continue;
      outcome_.add(branch, point, guessed_.at(point));
      report();
    }
  }

  // Decides the branches, as far as they are not ruled out.
  void decide(std::vector<Prospect> prospects) {
    waiting_.clear();
    for (Prospect& prospect : prospects) add(std::move(prospect));
    WorkerPool workers(static_cast<size_t>(options_.jobs),
                       [this](const std::string& request) { return worker_.answer(request); });
    for (;;) {
      while (under_way_.size() < kUnderWay && begin_round(workers)) continue;
      report();
      if (under_way_.empty() || !finish_round(workers)) return;
    }
  }

  bool is_stopped() {
    interrupted_ = interrupted_ || (options_.stop && options_.stop());
    return interrupted_;
  }

  // Asks for the next step of the most promising branches. False: there is none.
  bool begin_round(WorkerPool& workers) {
    if (is_stopped()) return false;
    const bool dives =
        std::none_of(under_way_.begin(), under_way_.end(), [](const auto& one) { return one->is_of_dive; });
    auto asked                = std::make_unique<Asked>();
    std::vector<Entry> chosen = dives ? dives_->next_step(taken_) : std::vector<Entry>();
    asked->is_of_dive         = !chosen.empty();
    if (chosen.empty()) chosen = waiting_.take(kAtOnce);
    if (chosen.empty()) return false;
    taken_ += chosen.size();
    for (Entry& entry : chosen) nth(asked->by_step, entry.next).push_back(std::move(entry));
    const auto& [to_expand, to_refine, to_try, to_predict] = asked->by_step;
    asked->predictions = distinct_.predictions(points_of(to_predict), asked->round);  // they take longest
    asked->attempts    = distinct_.attempts(prospects_of(to_try), asked->round);
    asked->bounds      = distinct_.bounds(prospects_of(to_refine), asked->round);
    asked->children    = ask_children(prospects_of(to_expand), asked->round);
    asked->round.begin(workers);
    under_way_.push_back(std::move(asked));
    return true;
  }

  // Takes the answers to the first round that is under way. False: the search was stopped before they came, and its
  // branches stay open.
  bool finish_round(WorkerPool& workers) {
    if (!under_way_.front()->round.finish(workers, [this] { return is_stopped(); })) return false;
    const std::unique_ptr<Asked> asked = std::move(under_way_.front());
    under_way_.pop_front();
    auto& [to_expand, to_refine, to_try, to_predict] = asked->by_step;
    predicted(to_predict, asked->predictions());
    refined(std::move(to_try), asked->attempts());
    refined(std::move(to_refine), asked->bounds());
    expanded(asked->children());
    return true;
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
    const bool is_step = prospect.bounded_by == BoundedBy::step;
    if (is_step && prospect.is_uncut && branches().can_be_refined(branch) && add_uncut(branch)) return;
    // Without pruning, a bound only tells whether products are cut, which the time of a microbatch does not.
    if (options_.pruning == Pruning::none) prospect.bounded_by = std::max(prospect.bounded_by, BoundedBy::microbatch);
    const NextStep next = next_step(prospect, branch);
    waiting_.push({std::move(prospect), next, branches().points(branch)});
  }

  // A branch is refined until its bound is as tight as it can be.
  NextStep next_step(const Prospect& prospect, const Branch& branch) const {
    const NextStep next = branches().is_point(branch) ? NextStep::predict : NextStep::expand;
    if (options_.pruning == Pruning::none && !unchunked(branches(), branch)) return next;
    const bool is_refined = prospect.bounded_by >= BoundedBy::step;
    if (branches().can_be_refined(branch)) {
      const bool is_tried = prospect.bounded_by == BoundedBy::worlds;
      const bool tries    = options_.pruning != Pruning::none && question_.tries_worlds() && !is_tried;
      if (is_refined) return next == NextStep::predict && tries ? NextStep::attempt : next;
      return NextStep::refine;
    }
    const bool is_sketched = prospect.bounded_by >= BoundedBy::stages;
    return branches().can_be_sketched(branch) && !is_sketched ? NextStep::refine : next;
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
    const bool is_priced = prospect.bounded_by != BoundedBy::demand;
    const auto tightest  = branches().can_be_refined(branch) ? BoundedBy::step : BoundedBy::stages;
    prospect.bounded_by  = is_priced ? tightest : BoundedBy::microbatch;
    if (entry.next == NextStep::attempt) prospect.bounded_by = BoundedBy::worlds;
    prospect.is_uncut = bound.is_uncut;
    if (bound.is_uncut && add_uncut(branch)) return;
    entry.next = next_step(prospect, branch);
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

  // Reports the progress. The branches that workers are at count as open until they are answered.
  void report() {
    const ObjectiveDef& objective    = *question_.goal().objective;
    const std::optional<double> best = outcome_.standing().best();
    double rest = std::min(beyond_, waiting_.empty() ? kNothing : waiting_.front().prospect.score[0]);
    size_t open = waiting_.points();
    for (const auto& asked : under_way_) {
      for (const std::vector<Entry>& entries : asked->by_step) {
        for (const Entry& entry : entries) {
          rest = std::min(rest, entry.prospect.score[0]);
          open += entry.points;
        }
      }
    }
    gap_.reset();
    if (best) gap_ = gap_between(objective, *best, rest);
    if (!options_.report) return;
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
  std::optional<Dives> dives_;
  std::deque<std::unique_ptr<Asked>> under_way_;  // the first that was asked for first
  bool is_large_    = false;
  bool interrupted_ = false;
  size_t taken_     = 0;
  double beyond_    = -kNothing;  // no point that the survey left out has a lower penalty
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
