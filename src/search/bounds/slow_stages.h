// The stages that have slow devices in each of the disturbed worlds in which a strategy is tried.
#pragma once

#include <map>
#include <vector>

#include "search/bounds/staged_step.h"
#include "search/worlds.h"

namespace foreflow::search {

class SlowStages {
 public:
  // `worlds` must outlive it.
  explicit SlowStages(const Worlds& worlds) : worlds_(worlds) {}

  // By stage, how many times as long the computes of the slowest device take that a replica has for it.
  using Replica = std::vector<double>;
  // The replicas with slow devices in each world. Left out are those that do not differ from another one or that are
  // slower in no stage than another one, and the fastest where more than kMost are left. Requires: each stage is on one
  // device of the plan.
  std::vector<std::vector<Replica>> in_worlds(const StagedStep& step, const platform::Platform& platform);

 private:
  static constexpr size_t kMost = 8;
  using Factors                 = std::map<int, double>;  // of the platform's devices that are slow in a whole run

  const std::vector<Factors>& factors_on(const platform::Platform& platform);

  const Worlds& worlds_;
  std::map<const platform::Platform*, std::vector<Factors>> factors_;  // of each world
};

}  // namespace foreflow::search
