// The best strategy: every point of the strategy space is predicted, those that do not work are kept with the reason,
// the rest is ranked. Knows scenarios; knows nothing of programs.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::search {

// One strategy, as an object such as a scenario's "strategy".
struct Candidate {
  Json strategy;
  Seconds iteration_time;
  double samples_per_second = 0;
  Bytes peak_memory;  // of the device that needs most
};

struct Infeasible {
  Json strategy;
  std::string why;
};

struct Result {
  size_t evaluated = 0;           // predicted by the engine
  size_t pruned    = 0;           // left out because they cannot be the best
  std::vector<Candidate> ranked;  // by throughput, best first
  std::vector<Candidate> pareto;  // no other is faster in no more memory; best first
  std::vector<Infeasible> infeasible;
};

struct Options {
  int jobs                          = 1;                    // worker processes; the result is the same for any number
  const simulate::EngineDef* engine = nullptr;              // null: the scenario's
  std::function<void(size_t done, size_t total)> finished;  // may be empty
};

// The strategies that `source` asks for on so many devices. A list is an axis. Of dp, tp and pp those that are absent
// take every divisor such that dp x tp x pp = devices; absent microbatches take every power of two that leaves each
// microbatch a sample, and 1 without a pipeline. What is not legal is part of the space.
std::vector<Json> space(const Json& source, const std::string& file, int64_t devices);

// `source` is a scenario whose strategy may hold lists, or be absent. Throws Error for what is wrong beyond the
// strategy.
Result search(const Json& source, const std::string& file, const Options& options);

// At most `top` of `ranked`; everything of the rest.
Json to_json(const Result& result, size_t top);
std::string to_text(const Result& result, size_t top);
std::string to_csv(const Result& result);

}  // namespace foreflow::search
