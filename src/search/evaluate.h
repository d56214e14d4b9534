// Predicts one point, in a worker process.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "search/read_point.h"
#include "search/worlds.h"

namespace foreflow::search {

// The engine's prediction of a point.
struct Prediction {
  std::optional<Refusal> refusal = {};  // when the point is refused
  Seconds time;
  double samples_per_second = 0;
  Bytes memory;  // peak of the device that needs most
  // largest excess of a device's memory over its capacity, as a fraction of the capacity; 0: all fit
  double overflow = 0;
  bool predicted  = true;  // false: only the refusal is known
  // In disturbed worlds, where there are some; `time` is then the undisturbed one until judged().
  std::optional<Spread> spread = {};
};

// The prediction of a point that the engine cannot run, for this reason.
Prediction unpredicted(Refusal refusal);

// With the time, and thus the throughput, that `risk` says.
Prediction judged(Prediction prediction, Risk risk);

// A refusal as JSON, and back.
Json json_of(const Refusal& refusal);
Refusal read_refusal(const JsonView& json);

// A prediction as one line of text, and back.
std::string print(const Prediction& prediction);
Prediction read_prediction(const std::string& text);

// Keeps undistributed programs, and the programs of replicas that were used last, for later points. All points are of
// one question.
class Predictor {
 public:
  // `owns_process`: as simulate::Options.
  explicit Predictor(Worlds worlds = {}, bool owns_process = false)
      : worlds_(std::move(worlds)), owns_process_(owns_process) {}

  const Worlds& worlds() const { return worlds_; }

  // Requires: the point is legal.
  Prediction predict(const ReadPoint& point);
  // The times in the first `count` worlds; nothing where the point has no prediction.
  std::vector<Seconds> in_first_worlds(const ReadPoint& point, size_t count);
  // Builds the program that `predict` would build, so that forked children share it. Does nothing when that is not
  // possible.
  void prepare(const scenario::Scenario& scenario);
  // The program of the scenario's workload, which is kept.
  Expected<const scenario::Sequential*> sequential(const scenario::Scenario& scenario);

 private:
  // As `predict`, with the times in the first `count` worlds.
  Prediction predict(const ReadPoint& point, size_t count, std::vector<Seconds>& times);
  // The times in these worlds of a scenario that has an undisturbed one.
  std::vector<Seconds> times_in_worlds(const ReadPoint& point, const scenario::Sequential& program, size_t count) const;

  Worlds worlds_;
  bool owns_process_;
  std::map<std::string, scenario::Sequential> built_;  // by scenario::build_key
  const Cluster* of_ = nullptr;                        // to which the shared programs belong
  // By what a framework may change with the degrees, workload and cost model, whose prices decide where stages are cut.
  std::map<std::string, scenario::SharedPrograms> shared_;
};

}  // namespace foreflow::search
