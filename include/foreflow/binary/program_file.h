// Reads and writes program files in text or binary form.
#pragma once

#include <string>

#include "foreflow/ir/module.h"

namespace foreflow::binary {

// Reads a `.distirb` file, recognised by its first bytes, or `.distir` text. Throws Error naming the file and the
// place.
ir::Module read_program(const std::string& path, const ir::OpTable& ops);

// Writes `.distirb` if `path` ends with it, else text. "-" is stdout. Throws Error naming the file.
void write_program(const std::string& path, const ir::Module& module);

}  // namespace foreflow::binary
