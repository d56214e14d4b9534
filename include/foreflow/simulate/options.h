// How a program is simulated: what is modelled of communications, what disturbs the run, what is recorded.
#pragma once

#include <string_view>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/base/registry.h"
#include "foreflow/simulate/disturbance.h"

namespace foreflow::simulate {

// How closely the hops of one collective depend on each other while they share links with others.
enum class Coupling { automatic, coupled, credit, stepwise };

struct CouplingDef {
  std::string_view name;  // "auto", "coupled", "credit", "stepwise"
  std::string_view doc;
  Coupling coupling;
};
const Registry<CouplingDef>& couplings();

struct Options {
  Coupling coupling = Coupling::automatic;  // the analytic engine refuses credit and stepwise
  bool fold         = true;                 // simulate equal streams once where that is exact; changes no result
  bool every_round  = false;                // simulate all rounds of a loop even where they repeat each other
  bool observe      = false;                // fill Timeline::paces, if the engine can (EngineDef::observes)
  bool makespan     = false;                // only Timeline::makespan is asked for; the rest may be left empty
  // Nothing else in this process uses SimGrid, so its engine may run here. SimGrid keeps some of its state from engine
  // to engine, and by default a run has a child for itself.
  bool owns_process         = false;
  Disturbances disturbances = {};
  // The share of the processors of a device that a collective takes while it runs on a stream of its own, as NCCL's
  // channels do; from 0 to below 1. A compute beside it gets along at the speed that is left. docs/models.md says how
  // it is charged.
  double collective_share = 0;
  // The same for each of stream::Program::jobs; empty: they all have `collective_share`.
  std::vector<double> shares_of_jobs = {};

  double share_of(int32_t job) const { return shares_of_jobs.empty() ? collective_share : nth(shares_of_jobs, job); }
  // Returns true if any collective takes a share.
  bool shares_processors() const;
};

}  // namespace foreflow::simulate
