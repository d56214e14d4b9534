// The Python text that generated scripts carry; the files are src/lower/pytorch/runtime/NAME.py.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace foreflow::lower::runtime {

// head and main stand in every script; of the others only the functions that are used.
extern const std::string_view head, communication, attention, experts, indexing, losses, ops, optimizers, windows, main;

// The top-level functions of the runtime that `text` names, with those that they name, in the order of the files.
std::string functions_for(const std::string& text);

// Names that generated expressions and statements need, which values of a program may not take.
const std::set<std::string>& reserved_names();

// The reserved names, and the names that the runtime needs anywhere in a script, Python's built-in functions among
// them. Functions of a program may not take any of them.
const std::set<std::string>& script_names();

}  // namespace foreflow::lower::runtime
