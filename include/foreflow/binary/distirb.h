// The `.distirb` binary form of programs: what the `.distir` text says, without its comments, in a versioned protobuf
// message (src/binary/distir.proto) that is smaller and quicker to read. write then read is the identity.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foreflow/ir/module.h"

namespace foreflow::binary {

// Of the files that `write` makes; `read` takes this version and all before it.
constexpr uint32_t kFormatVersion = 1;

// The same bytes for the same program on every run and machine. Throws Error when they would be more than protobuf's
// 2 GiB.
std::string write(const ir::Module& module);

// Throws Error(name, ...) when the bytes are no such file, only a part of one, changed since they were written (they
// carry a checksum), written by a newer version, or hold what no program says: unknown ops, names that text could not
// show, values used before they are defined. The result passes ir::verify, and its text parses.
ir::Module read(std::string_view bytes, const std::string& name, const ir::OpTable& ops);

// True when `bytes` begin like a `.distirb` file of any version.
bool is_distirb(std::string_view bytes);

}  // namespace foreflow::binary
