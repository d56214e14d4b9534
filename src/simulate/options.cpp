#include "foreflow/simulate/options.h"

namespace foreflow::simulate {

const Registry<CouplingDef>& couplings() {
  static const Registry<CouplingDef> table(
      "coupling",
      {
          {"auto", "credit for rings with a slow member that share links with others, coupled for all else",
           Coupling::automatic},
          {"coupled", "a collective moves at the pace of its slowest link, on all its links", Coupling::coupled},
          {"credit", "hops move slices of 1 MB, at most 8 ahead of the receiver, as NCCL does", Coupling::credit},
          {"stepwise", "each step of each rank is a message of its own, for study", Coupling::stepwise},
      });
  return table;
}

}  // namespace foreflow::simulate
