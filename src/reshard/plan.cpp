#include "foreflow/reshard/plan.h"

namespace foreflow::reshard {

const collective::AlgorithmDef& algorithm_of(const Job& job) {
  const bool chain = job.kind == collective::Kind::broadcast;
  return chain ? collective::algorithms().get("chain", "reshard") : collective::default_algorithm(job.kind);
}

}  // namespace foreflow::reshard
