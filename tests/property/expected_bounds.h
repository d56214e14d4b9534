// Bounds of a search beside the predictions of all points.
#pragma once

#include "foreflow/base/json.h"

namespace foreflow::search {

// Predicts every legal point of a question, and expects that no bound of its time or memory is higher: neither of its
// family, with or without the time of a microbatch, nor of the sketch of what it is part of, nor a refined one.
void expect_bounds_hold(const Json& source);

}  // namespace foreflow::search
