// The `.distirb` binary form of programs: a versioned protobuf message (src/binary/distir.proto) with the content of
// the
// `.distir` text, except comments. It is smaller and faster to read. Reading a written program gives the same program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foreflow/ir/module.h"

namespace foreflow::binary {

// The version of the format that `write` produces. `read` accepts this version and all earlier ones.
constexpr uint32_t kFormatVersion = 1;

// The bytes of a program, which are the same on every run and machine. Throws Error if they would exceed protobuf's
// limit of 2 GiB.
std::string write(const ir::Module& module);

// Reads a program; it passes ir::verify, and its text can be parsed. Throws Error(name, ...) if the bytes
//
// 1. are not a `.distirb` file, or only a part of one,
// 2. were changed since they were written (they contain a checksum),
// 3. were written by a newer version, or
// 4. do not describe a valid program: unknown ops, names that text cannot express, values used before their definition.
ir::Module read(std::string_view bytes, const std::string& name, const ir::OpTable& ops);

// Returns true if `bytes` begin like a `.distirb` file of any version.
bool is_distirb(std::string_view bytes);

}  // namespace foreflow::binary
