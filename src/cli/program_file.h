// Programs in files, for commands that take either form.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "foreflow/ir/module.h"
#include "foreflow/scenario/shapes.h"

namespace foreflow::cli {

// A `.distir` or `.distirb` file with a function. Throws Error naming the file and, in text, line and column.
ir::Module read_program(const std::string& path);

// A `.distir` file, or an `.onnx` model with the sizes of its inputs (see scenario::with_sizes), without numbers.
ir::Module read_program_or_model(const std::string& path, const scenario::InputSizes& sizes);

// Throws Error if the name of the file of -o tells that it holds something else than a program.
void check_program_name(const std::string& path);

bool is_onnx(const std::string& path);

// "NAME=VALUE" of an option; Error at `option` when there is no '='.
std::pair<std::string, std::string> split_setting(const std::string& setting, const std::string& option);

// Gives a parameter the type of a setting "NAME=TYPE" of --input. Throws Error naming the nearest parameter.
void state_type(ir::Function& function, const std::string& setting);

// Settings "INPUT=1,128" of --shape and "batch=8" of --dim. Throws Error for what is no dimension.
scenario::InputSizes parse_sizes(const std::vector<std::string>& shapes, const std::vector<std::string>& dims);

}  // namespace foreflow::cli
