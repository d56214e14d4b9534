// The goal of a search, with what it takes from the workload.
#pragma once

#include "foreflow/scenario/run.h"
#include "foreflow/search/objective.h"

namespace foreflow::search {

// The goal with Terms::tokens_per_sample where one of its objectives needs them. Of the scenario, whose strategy and
// placement are empty, only the workload counts. Throws Error where an objective lacks what it needs.
Goal settled(Goal goal, const scenario::Scenario& scenario);

}  // namespace foreflow::search
