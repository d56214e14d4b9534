// The answer of `foreflow reshard`, as text, JSON and pictures.
#pragma once

#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/report/gantt.h"
#include "foreflow/scenario/resharding.h"

namespace foreflow::cli {

// The question that was asked, in a form for people.
struct ReshardQuestion {
  const reshard::StrategyDef* strategy;
  const reshard::BalanceDef* balance;
  std::string engine;
  std::vector<std::string> notes;  // on how it was understood, a line each
};

std::string describe(const scenario::ReshardingRun& run, const ReshardQuestion& question,
                     const platform::Platform& platform);
Json to_json(const scenario::ReshardingRun& run, const ReshardQuestion& question, const platform::Platform& platform);

// A row for each port and direction that is used: the jobs that cross between hosts over it; where none do,
// those between devices.
std::vector<report::GanttRow> port_rows(const scenario::ReshardingRun& run, const platform::Platform& platform);

}  // namespace foreflow::cli
