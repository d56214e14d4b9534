// Ops of the backward pass that take sums over samples and cannot take them term by term.
#pragma once

#include <vector>

#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

// Per op of the entry of `module`: it takes sums over microbatches, or, with one microbatch, sums over the samples that
// replicas will share, and no rule passes their terms on (the gradient of a table of positions that the model resizes).
// Such an op runs once a step, when the sums are complete. `values` are those of the layouts over microbatches.
//
// With one microbatch, where all layouts are whole, an op is named only if nothing that depends on it works on samples.
std::vector<bool> takes_complete_sums(const ir::Module& module, const interpret::Values<LaidOut>& values);

}  // namespace foreflow::transform
