// The best strategy: points of the strategy space are predicted, those that do not work are kept with the reason, the
// rest is ranked. Knows scenarios; knows nothing of programs.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::search {

// One strategy, as an object such as a scenario's "strategy".
struct Candidate {
  Json strategy;
  Json placement;  // null: the scenario's own
  Seconds iteration_time;
  double samples_per_second = 0;
  Bytes peak_memory;  // of the device that needs most
};

struct Infeasible {
  Json strategy;
  Json placement;
  Refusal refusal;
  std::string why;  // the refusal in words, with its key: "tp: 3 does not divide the 16 attention heads; use ..."
};

// Left out because it cannot be good enough.
struct Pruned {
  Json strategy;
  Json placement;
  Seconds least_time;
  Bytes least_memory;
};

struct Result {
  std::string method;
  size_t points    = 0;           // of the space
  bool estimated   = false;       // that number is an estimate
  size_t evaluated = 0;           // predicted by the engine
  size_t exact     = 0;           // so many of the first of `ranked` are those of the whole space
  std::vector<Candidate> ranked;  // by throughput, best first
  std::vector<Candidate> pareto;  // no other of `ranked` is faster in no more memory; best first
  std::vector<Infeasible> infeasible;
  std::vector<Pruned> pruned;
};

// What bounds may leave out: points that cannot be among the first `Options::top`; of these only such as cannot be on
// the Pareto front either; nothing.
enum class Pruning : uint8_t { top, front, none };

struct MethodDef;

struct Options {
  int jobs                          = 1;        // worker processes; the result is the same for any number
  const simulate::EngineDef* engine = nullptr;  // null: the scenario's
  const MethodDef* method           = nullptr;  // null: exhaustive
  size_t top                        = 10;
  Pruning pruning                   = Pruning::top;         // exhaustive
  uint64_t seed                     = 1;                    // annealing
  size_t budget                     = 300;                  // annealing, beam: how many points are predicted at most
  std::function<void(size_t done, size_t total)> finished;  // may be empty
};

class Question;

// How a space is searched. `run` fills in everything but the Pareto front, `ranked` in any order.
struct MethodDef {
  std::string_view name;
  std::string_view doc;
  Result (*run)(const Question& question, const Options& options);
};
const Registry<MethodDef>& methods();

// `source` is a scenario whose strategy and placement may hold lists (space.h), or be absent. Throws Error for what is
// wrong beyond them, and when a space is too large for the method.
Result search(const Json& source, const std::string& file, const Options& options);

// How much longer the second of the ranking takes for a sample, as a share; 0 without a second.
double behind(const Result& result);

// At most `top` of `ranked`; everything of the rest.
Json to_json(const Result& result, size_t top);
std::string to_text(const Result& result, size_t top);
std::string to_csv(const Result& result);

}  // namespace foreflow::search
