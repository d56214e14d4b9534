// Chains with a given number of chunks. The row `chain` of algorithms() chooses it by size and latency.
#pragma once

#include "foreflow/collective/collective.h"

namespace foreflow::collective {

constexpr int kMostChunks = 1024;

// The row `chain`, but with messages in this many chunks; 1 to kMostChunks. Not a row of its own.
const AlgorithmDef& chain_of(int chunks);

}  // namespace foreflow::collective
