// Values as the bytes of messages and files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/ir/array.h"

namespace foreflow::execute {

// Zeros of a resolved type.
ir::Array blank(const ir::Type& type);

// The numbers of each tensor of a value, in order. The value must not be shared while its bytes are written.
std::vector<std::span<const std::byte>> leaves(const ir::Array& value);
std::vector<std::span<std::byte>> mutable_leaves(ir::Array& value);

// The elements of part `index` of `parts` nearly equal runs of each tensor, as tensors of rank 1.
ir::Array run_of(const ir::Array& value, size_t index, size_t parts);
ir::Type run_type(const ir::Type& type, size_t index, size_t parts);
// The inverse of run_of: the value whose parts are `runs`.
ir::Array join_runs(const ir::Type& type, std::span<const ir::Array> runs);

// Data type, shape and numbers, through tuples.
std::string to_bytes(const ir::Array& value);
ir::Array value_from(std::string_view bytes);

// Packs several texts into one, each with its length.
std::string pack(const std::vector<std::string>& parts);
std::vector<std::string> unpack(std::string_view bytes);

}  // namespace foreflow::execute
