// Times after a loop whose parts have periods of their own, which are linear in the number of periods.
//
//     part 1, period 2:  F B F B | F B | F B F B . . . . G        with one period more G starts 3 later, however many
//     part 2, period 3:  F  B  F  B  | F  B  | F  B  F  B  G      periods there are: part 2 remains the last
#pragma once

#include "simulate/rounds/steady_state.h"

namespace foreflow::simulate {

// True if `longer` equals `timeline` with every stretch repeated once, a period later, and if the same holds for each
// period more. An item after the stretches is then later by the longest period of those that it waits for, and what is
// later by less is over on the same devices and links before anything begins there that is later by more.
bool repeats_with_one_period_more(const stream::Program& program, const stream::Timeline& timeline,
                                  const stream::Timeline& longer, const SteadyState& steady);

}  // namespace foreflow::simulate
