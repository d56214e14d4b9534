// One device's own program out of the global one: what a rank would run.
#pragma once

#include <map>

#include "foreflow/interpret/mixed.h"

namespace foreflow::lower {

// Per device of the program (and per stream of it, which is a device of its own): the functions with the ops that touch
// that device. A message or collective stands in the program of each member as it stood in the global one, with `_` for
// the operands that other members bring; every result says its type. Values on no device are in every program. A
// function is projected once for each way in which the device takes part in it.
std::map<ir::Device, ir::Module> project(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                                         const ir::OpTable& ops);

}  // namespace foreflow::lower
