// What a sweep keeps of a prediction.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::sweep {

// An object of answer_columns(). Times of devices are means over all; the peak is that of the device that needs most.
Json answer_of(const report::Summary& summary);

}  // namespace foreflow::sweep
