// True if a run differs from another one only by what each part leaves out one time less: the periods more repeat those
// before them, and all that is behind them is later by one time.
#pragma once

#include "simulate/rounds/part.h"

namespace foreflow::simulate {

// `longer`: the run of one time more.
bool repeats_one_time_more(const stream::Program& program, const stream::Timeline& timeline,
                           const stream::Timeline& longer, const std::vector<Part>& parts);

}  // namespace foreflow::simulate
