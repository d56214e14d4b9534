// Readers for the arguments of a pass, as they are written on the command line. Each returns its fallback, or the value
// stated below, if the argument is absent.
#pragma once

#include "foreflow/transform/passes.h"

namespace foreflow::transform {

std::string word_argument(const PassArguments& arguments, const std::string& key, const std::string& fallback);
// A whole number of at least 1. Throws Error for anything else.
int degree_argument(const PassArguments& arguments, const std::string& key, int fallback);

// "true" or "false"; false if absent. Throws Error for any other word.
bool flag_argument(const PassArguments& arguments, const std::string& key);

// Any whole number.
int64_t integer_argument(const PassArguments& arguments, const std::string& key, int64_t fallback);
// Names separated by '|'; none if absent.
std::vector<std::string> names_argument(const PassArguments& arguments, const std::string& key);
// The module with the loss that the arguments `output` and `axis`, and the argument named by `kind`, describe (see
// add_loss).
ir::Module loss_arguments(const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments,
                          const std::string& kind);

}  // namespace foreflow::transform
