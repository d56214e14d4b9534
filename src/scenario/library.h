// Communication libraries as scenarios name them.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/collective/library.h"
#include "foreflow/cost/cost.h"

namespace foreflow::scenario {

// The library as an algorithm; a name without a version is that of the newest (collective::library_called). With a cost
// model that knows what its collectives take inside a server, they take that. Throws Error at `where` with the nearest
// name.
const collective::AlgorithmDef& library_named(std::string_view name, const std::string& where,
                                              const cost::CostModel& cost);

// An algorithm of any table, by the name that its row has there. Throws Error at `where`.
const collective::AlgorithmDef& algorithm_named(std::string_view name, const std::string& where);

}  // namespace foreflow::scenario
