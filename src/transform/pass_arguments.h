// Reading the arguments of a pass as it is written on the command line.
#pragma once

#include "foreflow/transform/passes.h"

namespace foreflow::transform {

std::string word_argument(const PassArguments& arguments, const std::string& key, const std::string& fallback);
// A whole number of at least 1; Error otherwise.
int degree_argument(const PassArguments& arguments, const std::string& key, int fallback);

}  // namespace foreflow::transform
