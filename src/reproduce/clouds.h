// Figures that show every strategy of a search as a point: peak memory against throughput.
#pragma once

#include "reproduce/distir.h"

namespace foreflow::reproduce {

// A row for each strategy of `question` that works, named "MODEL d/t/p/k, batch n": samples per second, beside what
// `published` (columns model, batch, d, t, p, k, throughput; memory in 1e9 bytes) says of it, and its peak memory.
void add_cloud(Result& result, const std::string& model, const Question& question, const std::string& published,
               const Options& options);

}  // namespace foreflow::reproduce
