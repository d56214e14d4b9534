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

// A number, a string or a list; PartError("attribute", ...) for devices and tensors.
std::string literal(const ir::Attribute& value);

// constant((1.0, 2.0), (2,), float32); long arrays of different numbers as base 64 of their bytes.
std::string constant(const ir::Array& array);

// ((4, 2), float32), or a list of those for a tuple. Error when the type is not fully known.
std::string like(const ir::Type& type);

// "f32[4,2]", "(f32[4,2], f32[2])": for people and for tables of times.
std::string signature(const ir::Type& type);

// The scope in which a name is bound: that of a value is its function, that of a function is the script.
enum class Scope : uint8_t { function, script };

// A Python name like `name`: characters other than ASCII letters, digits and '_' become '_'; a 'v' goes before a digit.
// Names that mean something else in that scope - keywords, __names__ of Python, what the runtime defines, and in a
// script also Python's built-in functions - get a '_' behind them. Different names may give one; the caller tells them
// apart.
//   "h.0/attn" -> h_0_attn       "1x" -> v1x       "lambda" -> lambda_       "" -> v
std::string identifier(std::string_view name, Scope scope);

}  // namespace foreflow::lower::python
