// Numbers, types and names of a program as Python text.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/ir/attributes.h"
#include "foreflow/ir/type.h"

namespace foreflow::lower::python {

// "float32": a name that scripts define. Float8 has one too, which is None before torch 2.1.
std::string_view dtype(ir::DType dtype);

std::string number(double value);                      // 0.5, inf, nan
std::string list(const std::vector<int64_t>& values);  // [1, 2]
std::string tuple(std::span<const int64_t> values);    // (), (1,), (1, 2)
std::string tuple(const std::vector<std::string>& elements);
std::string text(std::string_view value);  // 'NHWC'

// A number, a string or a list; PartError("attribute", ...) for devices and tensors.
std::string literal(const ir::Attribute& value);

// constant((1.0, 2.0), (2,), float32); long arrays of different numbers as base 64 of their bytes.
std::string constant(const ir::Array& array);

// ((4, 2), float32), or a list of those for a tuple. Error when the type is not fully known.
std::string like(const ir::Type& type);

// "f32[4,2]", "(f32[4,2], f32[2])": for people and for tables of times.
std::string signature(const ir::Type& type);

// A Python name like `name`: other characters become '_'; reserved words get a '_' behind them.
std::string identifier(std::string_view name);

}  // namespace foreflow::lower::python
