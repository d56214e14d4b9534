// A step of training of which the schedule is known, and what its stages need.
#pragma once

#include <utility>

#include "foreflow/scenario/stage_demand.h"
#include "search/bounds/plans.h"
#include "search/bounds/replica_exchange.h"

namespace foreflow::search {

struct StagedStep {
  // All arguments must live as long.
  StagedStep(const scenario::Scenario& of, const scenario::StageDemand& stages, const KnownPlan& schedule,
             GroupShapes& shapes_of, const Arrangement& ranks);

  const schedule::Plan& plan() const { return known.plan; }
  // Two pipes add their gradients to each other before they are exchanged, after all microbatches.
  bool is_mirrored() const { return plan().pipes() > 1; }

  size_t stage_of(size_t device, int chunk) const {
    return static_cast<size_t>(plan().stage_of(static_cast<int>(device), chunk));
  }
  const transform::StageNeed& need_of(size_t device, int chunk) const { return demand.stages[stage_of(device, chunk)]; }
  // The device and the chunk of a virtual stage.
  std::pair<size_t, int> place_of(size_t stage) const;

  const scenario::Scenario& scenario;
  const scenario::Strategy& strategy;
  const scenario::StageDemand& demand;
  const KnownPlan& known;
  GroupShapes& shapes;       // on the platform
  const Arrangement& where;  // the ranks are
  const ReplicaExchange exchange;
  const int group;  // number of devices that a replica has for a stage
};

}  // namespace foreflow::search
