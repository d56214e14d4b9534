// Random small questions for tests of searches.
#pragma once

#include <cstdint>

#include "foreflow/base/json.h"

namespace foreflow::search {

// A question with at most 48 points, for every one of them is predicted several times. Equal seeds draw equal
// questions.
Json small_question(int seed);

}  // namespace foreflow::search
