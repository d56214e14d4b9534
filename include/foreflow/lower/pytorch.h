// PyTorch as the target of lowering: one self-contained script of what every rank runs. Knows ops by their rows only;
// how an op is written is a table, what it needs beside torch is Python text in src/lower/pytorch/runtime.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "foreflow/base/registry.h"
#include "foreflow/ir/module.h"

namespace foreflow::lower {

// An op as a Python expression, of which these parts are filled in:
//   {0} {1} ..    an operand; None when it is left out        {*}        all operands
//   {NAME}        an attribute; None when it is absent        {NAME=X}   or else X, which may have parts of its own
//   {outputs}     how many results are asked for              {type}     the data type of the first result
//   {constant}    attribute `value` as a tensor               {fill}     attribute `value` as one number, or else 0
//   {in} {like}   communication: this rank's operand; shape and type of its result; None where there is none
//   {from} {to}   communication: the ranks of all operands, and of all results; {source} {destination}: where it is one
// An expression that begins with '*' is a sequence with one element for each result.
struct EmitterDef {
  std::string_view name;  // of the op
  std::string_view expression;
};
const Registry<EmitterDef>& emitters();

// The script for `torchrun --nproc-per-node N`; `programs` as `project` makes them with Grain::gpu, ranks in the order
// of devices, `title` for its head. Functions of equal text are written once. Collectives stand in the order of the
// global program on every rank, and groups are made in one order, so it cannot deadlock. Throws Error naming the op
// where an op has no emitter, a received value has no known shape, or two members of a group are streams of one device.
std::string pytorch_script(const std::map<ir::Device, ir::Module>& programs, const std::string& title);

// How a script names the files of parameters, or of results, that share a folder: by name, and whether it is a tuple,
// whose elements are STEM.0, STEM.1 ..; characters that file systems dislike become '_' (see escape::file_names).
// Throws Error where a name would have the file of a tuple's element.
std::map<std::string, std::string> file_stems(const std::map<std::string, bool>& is_tuple);

}  // namespace foreflow::lower
