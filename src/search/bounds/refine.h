// A tighter bound of a point than Bounds gives, at the cost of milliseconds: plays the schedule with the times of the
// stages into which the model is cut. It ignores contention, the time to wait for messages between stages, and
// everything that may overlap.
#pragma once

#include "foreflow/scenario/stage_demand.h"
#include "search/bounds/bounds.h"
#include "search/bounds/plans.h"
#include "search/bounds/slow_stages.h"
#include "search/evaluate.h"

namespace foreflow::search {

struct Refined : Bound {
  // True: `overlap_tensor` is more than 1 and cuts no product, so the prediction is that of the point with 1.
  bool is_uncut = false;
};

class Refiner {
 public:
  explicit Refiner(Predictor& predictor) : predictor_(predictor), slow_(predictor.worlds()) {}

  // Scenarios whose keys are close in alphabetical order have much in common, so refining them one after the other is
  // fast.
  static std::string key(const scenario::Scenario& scenario) { return scenario::StageDemands::key(scenario.strategy); }
  // Lower bound of the time of one microbatch, as MicrobatchOf. It takes microseconds, but for the first point of those
  // that share a model of stages.
  Seconds microbatch(const ReadPoint& point, const std::vector<scenario::Placement>& placements);
  // Zero if no tighter bound is known. In disturbed worlds it counts devices that are slow.
  Refined refine(const ReadPoint& point);
  // The least time of the point in each of the worlds, but for their least factor; empty where no bound is known.
  std::vector<Seconds> least_in_worlds(const ReadPoint& point);
  // The lowest bound of these points, whatever they exchange between replicas and whichever chunks of products they
  // use. Those of one list differ in their placements only, and those of different lists in values that move the ends
  // of stages. The first list has the values with which no bound of the same stages is higher. Zero if none is known.
  Bound sketch(const std::vector<std::vector<ReadPoint>>& points);

 private:
  Refined only_microbatch(const ReadPoint& point, const scenario::Sequential& program,
                          const std::vector<scenario::Placement>& placements);
  // The least times of a step in all worlds, but for what makes computes faster (least_factor).
  std::vector<Seconds> in_worlds(const StagedStep& step, const platform::Platform& platform);
  // The step of a point; nothing where it is not known. Valid until the next call.
  std::optional<StagedStep> step_of(const ReadPoint& point);

  ShapesOf shapes_;
  scenario::StageDemands demands_;
  std::optional<scenario::StageDemand> demand_;  // of step_of()
  Plans plans_;
  Plays plays_;
  Predictor& predictor_;  // keeps the programs
  SlowStages slow_;
};

// As text, and back.
std::string print(const std::vector<Refined>& all);
std::vector<Refined> read_refined(const std::string& text);

}  // namespace foreflow::search
