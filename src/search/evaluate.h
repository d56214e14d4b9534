// One point predicted, in a worker.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "foreflow/scenario/run.h"

namespace foreflow::search {

// The engine's prediction of a point.
struct Prediction {
  std::optional<Refusal> refusal = {};  // where it does not work
  Seconds time;
  double samples_per_second = 0;
  Bytes memory;            // of the device that needs most
  double overflow = 0;     // of the fullest device: what it needs beyond its capacity, as a share of that; 0: all fit
  bool predicted  = true;  // false: only the refusal is known
};

// A prediction as one line of text, and back.
std::string print(const Prediction& prediction);
Prediction read_prediction(const std::string& text);

// Keeps the programs before distribution, by global batch and whether their attention is fused, for the next point.
class Predictor {
 public:
  explicit Predictor(scenario::PlatformRef platform) : platform_(std::move(platform)) {}

  Prediction predict(const scenario::Scenario& scenario);
  // Builds what `predict` would build, for children to share; nothing where that is not possible.
  void prepare(const scenario::Scenario& scenario);

 private:
  Expected<const scenario::Sequential*> sequential(const scenario::Scenario& scenario);

  scenario::PlatformRef platform_;
  std::map<std::pair<int64_t, bool>, scenario::Sequential> built_;
};

}  // namespace foreflow::search
