// A sharper bound of a point than Bounds gives, in milliseconds: the schedule is played with the times of the stages
// into which the model really is cut. What it leaves out is contention, waiting for messages between stages, and
// whatever may overlap.
#pragma once

#include "foreflow/scenario/stage_demand.h"
#include "search/bounds.h"
#include "search/evaluate.h"

namespace foreflow::search {

class Refiner {
 public:
  explicit Refiner(Predictor& predictor) : predictor_(predictor) {}

  // Scenarios whose keys are near each other in alphabetical order have much in common and are quickly refined one
  // after the other.
  static std::string key(const scenario::Scenario& scenario) { return scenario::StageDemands::key(scenario.strategy); }
  // Zero where no sharper bound is known.
  Bound refine(const ReadPoint& point);

 private:
  ShapesOf shapes_;
  scenario::StageDemands demands_;
  Predictor& predictor_;  // keeps the programs
};

// Bounds as text, and back.
std::string print(const std::vector<Bound>& bounds);
std::vector<Bound> read_bounds(const std::string& text);

}  // namespace foreflow::search
