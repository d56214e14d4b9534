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
  Refiner(const platform::Platform& platform, Predictor& predictor)
      : shapes_(platform), demands_(platform), predictor_(predictor) {}

  // Zero where no sharper bound is known.
  Bound refine(const scenario::Scenario& scenario);

 private:
  GroupShapes shapes_;
  scenario::StageDemands demands_;
  Predictor& predictor_;  // keeps the programs
};

// A bound as text, and back.
std::string print(const Bound& bound);
Bound read_bound(const std::string& text);

}  // namespace foreflow::search
