// Programs in files, in either form.
#pragma once

#include <string>

#include "foreflow/ir/module.h"

namespace foreflow::binary {

// A `.distirb` file, known by how it begins, else `.distir` text. Throws Error naming the file and the place.
ir::Module read_program(const std::string& path, const ir::OpTable& ops);

// `.distirb` when `path` ends so, else text; "-" is stdout. Throws Error naming the file.
void write_program(const std::string& path, const ir::Module& module);

}  // namespace foreflow::binary
