// Recognises causal masks, which hide the keys after a query.
#pragma once

#include "transform/context/element_patterns.h"

namespace foreflow::transform {

// Returns true if a mask [..,s,s] has a large negative number above the diagonal of each of its matrices and 0
// elsewhere. The elements of small masks are known; those of larger ones have a pattern.
bool is_causal(const KnownFunction& of, const ElementPatterns& patterns, ir::ValueId mask);

}  // namespace foreflow::transform
