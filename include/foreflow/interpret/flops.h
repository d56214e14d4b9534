// How much arithmetic an interpreted program does, from its ops' own account of their work.
#pragma once

#include "foreflow/interpret/mixed.h"

namespace foreflow::interpret {

// Over all devices, calls counted as often as they happen. Ops whose results are known numbers (shape arithmetic) and
// ops with values of unknown shape count as nothing.
Flops total_flops(const ir::Module& module, const MixedInterpretation& interpretation);

}  // namespace foreflow::interpret
