// Open MPI, component coll/tuned: the algorithms of its fixed decision rules (coll_tuned_decision_fixed.c), which go by
// size and number of ranks; here the fastest of them by closed forms. Latencies are those of the platform.
#include "foreflow/collective/library.h"

namespace foreflow::collective::definitions::openmpi {

LibraryDef row() {
  return {"openmpi@4.1",
          "Open MPI 4.1, coll/tuned: recursive doubling, ring, Rabenseifner, binomial and pipelined trees, Bruck",
          "Open MPI documentation, Tuning Collectives; ompi/mca/coll/tuned",
          {{.algorithm = "halving_doubling"},
           {.algorithm = "ring"},
           {.algorithm = "recursive"},
           {.algorithm = "binomial"},
           {.algorithm = "chain"},
           {.algorithm = "van_de_geijn"},
           {.algorithm = "bruck"},
           {.algorithm = "pairwise"},
           {.algorithm = "direct", .kinds = message_kinds()}},
          "sizes at which its rules change over; han and hcoll; eager and rendezvous messages"};
}

}  // namespace foreflow::collective::definitions::openmpi
