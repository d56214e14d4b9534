// Search for the best strategy. Points of the strategy space are predicted; the feasible ones are ranked, the
// infeasible ones are kept with the reason. Knows scenarios; knows nothing of programs.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "foreflow/scenario/run.h"
#include "foreflow/search/objective.h"

namespace foreflow::search {

// The time of an iteration without disturbances, and over the disturbed worlds of Options::worlds. The 95th percentile
// is the smallest time that at least 95 % of the worlds do not exceed.
struct Spread {
  Seconds undisturbed, mean, p95;
};

// The time in disturbed worlds that a strategy is judged by.
enum class Risk : uint8_t { mean, p95 };
// "mean", "p95"
std::string_view name(Risk risk);

// A predicted strategy, written like a scenario's "strategy".
struct Candidate {
  Json strategy;
  Json placement;  // null: the scenario's own
  Json platform;   // as Cluster::said
  Seconds iteration_time;
  double samples_per_second = 0;
  Bytes peak_memory;  // on the device with the highest peak, without disturbances
  // With Options::worlds, of which iteration_time is the one that Options::risk says; absent without.
  std::optional<Spread> spread = {};
  int64_t devices              = 1;  // that the strategy uses
  // Strategies that do the same as this one, by the keys in which they differ from it: {"overlap_tensor": 2}. They are
  // not in the ranking themselves.
  std::vector<Json> same = {};

  double price = 0;  // as Figures::price

  Figures figures() const { return {samples_per_second, peak_memory, devices, price}; }
};

struct Infeasible {
  Json strategy;
  Json placement;
  Json platform;  // as Cluster::said
  Refusal refusal;
  std::string why;  // the refusal in words, with its key: "tp: 3 does not divide the 16 attention heads; use ..."
};

// The most infeasible points that a result lists.
constexpr size_t kMostListed = 10'000;

struct Result {
  std::string method;
  size_t points    = 0;      // number of points of the space
  bool estimated   = false;  // `points` is an estimate
  size_t evaluated = 0;      // number of points that the engine predicted
  size_t reused    = 0;      // number of these whose prediction was in Options::store
  size_t same      = 0;      // number of points that do the same as one of `ranked`: Candidate::same
  size_t refused   = 0;      // number of infeasible points
  size_t ruled_out = 0;      // number of points that bounds showed to be not good enough, until it was interrupted
  size_t exact     = 0;      // the first `exact` of `ranked` are also the best of the whole space
  bool proven      = false;  // no point of the space could be among the first Options::top that is not
  bool interrupted = false;  // by Options::stop
  size_t worlds    = 0;      // as Options::worlds
  Risk risk        = Risk::mean;
  Json disturbances;  // of which the worlds are drawn, as a scenario says it; null without worlds
  Goal goal;          // as Options::goal, with the tokens of a sample where they are needed
  // The value of Goal::objective of no point is better than that of the best of `ranked` by more than this fraction of
  // it; 0 when proven. Absent: not known.
  std::optional<double> gap;
  std::vector<Candidate> ranked;  // by the objective, best first
  // Keys of the strategy that the framework of the scenario decides, which therefore were no choice.
  std::set<std::string> by_framework;
  // Candidates than which no other is as good by both objectives of Goal::front, and better by one; in the order of the
  // first of them, best first.
  std::vector<Candidate> pareto;
  bool exact_front = false;               // no point of the space that was left out belongs to `pareto`
  std::vector<Infeasible> infeasible;     // the first kMostListed
  std::map<std::string, size_t> reasons;  // number of infeasible points by the reason in words
  std::vector<std::string> remarks;       // on the best of `ranked`: scenario::remarks_on

  // Number of points that are neither ranked nor known to be infeasible.
  size_t left_out() const { return points - std::min(points, ranked.size() + same + refused); }
  // Number of these that cannot be good enough: all of them when the ranking is proven.
  size_t pruned() const { return proven ? left_out() : std::min(left_out(), ruled_out); }
  // Number of these of which nothing is known, as the search was interrupted or its budget was spent.
  size_t not_looked_at() const { return left_out() - pruned(); }
};

// How far a search is.
struct Status {
  size_t points             = 0;  // of the space; 0: not counted yet
  size_t decided            = 0;  // of these: evaluated, or known to be infeasible or not good enough
  size_t evaluated          = 0;
  size_t reused             = 0;   // of these
  double best               = 0;   // the best value of the objective; 0: none yet
  std::optional<double> gap = {};  // as Result::gap
  Goal goal                 = {};  // of the search
};

// Which points lower bounds may exclude from prediction:
//   - top: those that cannot be among the best Options::top;
//   - front: those that can be neither among the best Options::top nor on the Pareto front;
//   - none: no points.
enum class Pruning : uint8_t { top, front, none };

struct MethodDef;

struct Options {
  int jobs                          = 1;        // worker processes; the result is the same for any number
  const simulate::EngineDef* engine = nullptr;  // null: the scenario's
  const MethodDef* method           = nullptr;  // null: exhaustive
  size_t top                        = 10;
  Pruning pruning                   = Pruning::top;  // exhaustive
  uint64_t seed                     = 1;             // annealing
  size_t budget                     = 300;           // annealing, beam: the most points to predict
  // Each strategy is also predicted in this many disturbed worlds: draws from the scenario's "disturbances" with the
  // seeds 1 to `worlds`, the same for every strategy, or from default ones (docs/models.md). 0: none; the scenario's
  // own disturbances are then part of every prediction.
  size_t worlds = 0;
  Risk risk     = Risk::mean;  // the time by which strategies are judged in these worlds
  Goal goal;                   // what is best; its Terms::tokens_per_sample is found by the search
  std::string store;    // an SQLite file that keeps every prediction as soon as it is made; empty: nothing is kept
  std::string version;  // of foreflow: a store of another version is refused
  std::function<void(size_t predictions)> begun;  // once, with the number found in the store; may be empty
  std::function<void(const Status&)> report;      // called from time to time; may be empty
  std::function<bool()> stop;                     // true: ends with what is known so far; may be empty
};

class Question;

// A search method. `run` fills in all of Result but `pareto`, with `ranked` in any order.
struct MethodDef {
  std::string_view name;
  std::string_view doc;
  Result (*run)(const Question& question, const Options& options);
  bool has_budget = false;  // whether it predicts at most Options::budget points
};
const Registry<MethodDef>& methods();

// Searches the space of a scenario, whose strategy and placement may hold lists (space.h) or be absent, and whose
// platform may have axes: then each of its platforms is searched, and the best of all is found (cluster.h). Throws
// Error when another part of the scenario is wrong, when an objective lacks what it needs (a price, a rate, tokens),
// and when Options::store is in use, is no store, or is one of another question or version. With a store, a search that
// was ended goes on where it was; the result is the same with any.
Result search(const Json& source, const std::string& file, const Options& options);

// A line for people: "search: 91040 of 107281 strategies decided, 62 predicted (12 a second), best 31.2 samples/s, at
// most 3.1 % better possible".
std::string progress_line(const Status& status, std::chrono::duration<double> elapsed);

// By how much the second best strategy is worse than the best, as a fraction (0.05: 5 %): how much faster the best is
// or, of what is minimised, how much more the second has. 0 when there is no second.
double behind(const Result& result);

// The result with at most `top` entries of `ranked` and all entries of the other lists.
Json to_json(const Result& result, size_t top);
std::string to_text(const Result& result, size_t top);
std::string to_csv(const Result& result);

}  // namespace foreflow::search
