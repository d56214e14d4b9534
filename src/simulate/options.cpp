#include "foreflow/simulate/options.h"

#include <algorithm>

namespace foreflow::simulate {

bool Options::shares_processors() const {
  if (shares_of_jobs.empty()) return collective_share > 0;
  return std::any_of(shares_of_jobs.begin(), shares_of_jobs.end(), [](double share) { return share > 0; });
}

const Registry<CouplingDef>& couplings() {
  static const Registry<CouplingDef> rows(
      "coupling", "couplings",
      {
          {"auto",
           "credit for single rings with a slow or changing hop that may meet others on a link, coupled for all else",
           Coupling::automatic},
          {"coupled", "a collective moves at the pace of its slowest link, on all its links", Coupling::coupled},
          {"credit", "hops of a ring move slices of 1 MB, at most 8 ahead of the receiver, as NCCL does",
           Coupling::credit},
          {"stepwise", "every step of every rank of a ring is a message of its own, for study", Coupling::stepwise},
      });
  return rows;
}

}  // namespace foreflow::simulate
