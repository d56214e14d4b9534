// Lowering to PyTorch: one self-contained script that every rank runs. A table says how each op is written in Python;
// functions that torch lacks are Python text in src/lower/pytorch/runtime.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "foreflow/base/registry.h"
#include "foreflow/ir/module.h"

namespace foreflow::lower {

// An op as a Python expression with these placeholders:
//   {0} {1} ..    an operand; None if it is absent            {*}        all operands
//   {NAME}        an attribute; None if it is absent          {NAME=X}   X if it is absent; X may have placeholders
//   {outputs}     the number of results that are used         {type}     the data type of the first result
//   {constant}    attribute `value` as a tensor               {fill}     attribute `value` as one number; 0 if absent
//   {in} {like}   communication: this rank's operand; shape and type of its result; None if it has none
//   {from} {to}   communication: the ranks of all operands, and of all results; {source} {destination}: the only one
// An expression that begins with '*' is a sequence with one element for each result.
struct EmitterDef {
  std::string_view name;  // of the op
  std::string_view expression;
};
const Registry<EmitterDef>& emitters();

// The units of a GPU that multiply tensors of Float32: those of Float32 (`exact`), or those of TF32 (`tf32`, allow_tf32
// of PyTorch).
enum class Products : uint8_t { exact, tf32 };

// The script for `torchrun --nproc-per-node N`. `programs` are those of project() with Grain::gpu; ranks are in the
// order of their devices; `title` is for the head of the script. A function that ranks have in common is written once,
// also where integers in it differ, such as peers, offsets and seeds: each rank has a list of those. Ops on no device
// are left out of functions that do not use them. All ranks run their collectives and create their groups in one order,
// so they cannot deadlock. Throws Error naming the op if it has no emitter, if a received value has no known shape, or
// if two members of a group are streams of one device.
std::string pytorch_script(const std::map<ir::Device, ir::Module>& programs, const std::string& title,
                           Products products = Products::exact);

// The names, without extension, of the files that a script uses for parameters, or for results, in one folder. A tuple
// has one file for each element: STEM.0, STEM.1, ... Special characters become '_' (see escape::file_names). Throws
// Error if a name gives the file of another value's element.
std::map<std::string, std::string> file_stems(const std::map<std::string, bool>& is_tuple);

}  // namespace foreflow::lower
