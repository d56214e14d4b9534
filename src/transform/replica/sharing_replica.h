// One replica of those that share states, gradients or weights, or that exchange them in messages of their own.
#pragma once

#include "foreflow/transform/replica.h"
#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

// Returns the result of `one_replica` for such a `how`. `layouts` are those of `module` over the replicas.
OneReplica sharing_replica(const ir::Module& module, const LayoutInterpretation& layouts, const ir::OpTable& ops,
                           const DataParallel& how);

}  // namespace foreflow::transform
