// Reading the arguments of a pass as it is written on the command line.
#pragma once

#include "foreflow/transform/passes.h"

namespace foreflow::transform {

std::string word_argument(const PassArguments& arguments, const std::string& key, const std::string& fallback);
// A whole number of at least 1; Error otherwise.
int degree_argument(const PassArguments& arguments, const std::string& key, int fallback);

// True or false, the latter when absent; Error for any other word.
bool flag_argument(const PassArguments& arguments, const std::string& key);

// Any whole number.
int64_t integer_argument(const PassArguments& arguments, const std::string& key, int64_t fallback);
// Names with '|' between them; none when absent.
std::vector<std::string> names_argument(const PassArguments& arguments, const std::string& key);
// The module with the loss that the arguments `output`, `axis` and the one called `kind` ask for (see add_loss).
ir::Module loss_arguments(const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments,
                          const std::string& kind);

}  // namespace foreflow::transform
