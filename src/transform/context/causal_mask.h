// Recognises causal masks, which hide the keys after a query.
#pragma once

#include "transform/context/known_function.h"

namespace foreflow::transform {

// Returns true if a mask [s,s] has a large negative number above the diagonal and 0 elsewhere. The elements of small
// masks are known; larger ones are recognised by the ops that compute them.
bool is_causal(const KnownFunction& of, ir::ValueId mask);

}  // namespace foreflow::transform
