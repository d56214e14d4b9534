// Programs in files, for commands that take either form.
#pragma once

#include <string>

#include "foreflow/ir/module.h"

namespace foreflow::cli {

// A `.distir` or `.distirb` file with a function. Throws Error naming the file and, in text, line and column.
ir::Module read_program(const std::string& path);

bool is_onnx(const std::string& path);

// "NAME=VALUE" of an option; Error at `option` when there is no '='.
std::pair<std::string, std::string> split_setting(const std::string& setting, const std::string& option);

}  // namespace foreflow::cli
