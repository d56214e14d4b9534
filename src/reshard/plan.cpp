#include "foreflow/reshard/plan.h"

#include "foreflow/collective/chain.h"

namespace foreflow::reshard {

const collective::AlgorithmDef& algorithm_of(const Job& job) {
  if (job.kind != collective::Kind::broadcast) return collective::default_algorithm(job.kind);
  return job.chunks > 0 ? collective::chain_of(job.chunks) : collective::algorithms().get("chain", "reshard");
}

}  // namespace foreflow::reshard
