// Measurements of others. Published iterations and layers come with Foreflow, in tests/data; large tables of kernels do
// not, and are in shared/data beside the source tree.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/reproduce/reproduce.h"

namespace foreflow::reproduce {

// The path of `file`, such as "iterations/vtrain_a100_2gpu.csv": in data/ of $FOREFLOW_SHARED or, where that is not
// set, of `shared` beside options.folder, if it is there, so that newer measurements come first; or else in tests/data
// of options.folder. Throws Error when it is in neither, saying where it should be.
std::string measured_file(const Options& options, std::string_view file);

// "seconds of an iteration; mean of the signed errors +2.1 %": what the rows count, and their bias.
std::string bias_note(std::string_view what, const Result& result);

}  // namespace foreflow::reproduce
