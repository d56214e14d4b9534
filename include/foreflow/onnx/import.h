// ONNX graphs as programs: `.onnx` -> Module with one function on one device. Knows the file format and what each opset
// meant; knows nothing of kernels and type rules, which are the op table's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::onnx {

// A graph input or output: how the file calls it, how the program calls it, and the dimensions as the file states them.
struct Port {
  std::string name;                     // in the file
  std::string value;                    // in the program, without '%'
  std::vector<std::string> dimensions;  // "batch", "768", "?"; empty for a scalar or where the file states no shape
};

struct Imported {
  ir::Module module;
  std::map<std::string, ir::Array>
      weights;                // numbers of weight parameters, by name in the program; absent ones are left out
  std::vector<Port> inputs;   // the data parameters, in order
  std::vector<Port> outputs;  // the results, in order
  int64_t opset = 0;          // of ONNX's own operators
  int64_t nodes = 0;          // in the file
};

// skip: leaves `weights` empty, for those who only ask for time and memory.
enum class Numbers : uint8_t { read, skip };

// What is known of the graph inputs beside what the file states, by the file's name of the input. Control flow may
// depend on it: a program that was written out with it is right for these shapes and numbers alone.
struct Given {
  std::map<std::string, ir::Dims> shapes;
  std::map<std::string, ir::Array> inputs;
};

// Graph inputs become data parameters; initializers become weight parameters, except that small integers, booleans and
// single floats, which shapes may depend on, become Constant ops. Nodes are put in topological order; old opsets are
// restated in terms of the newest. Control flow is written out: the branch of an If whose condition is known when the
// model is read, every round of a Loop or Scan; a condition that is known at run time only selects between the results
// of both branches. Weights in files beside `path` that are not there are left out of `weights`.
// Throws Error naming the file and the node or tensor: unreadable or malformed files, ops that `ops` lacks, cycles, a
// number of rounds that is not known.
Imported import_model(const std::string& path, const ir::OpTable& ops, Numbers numbers = Numbers::read,
                      const Given& given = {});

// The same from memory; `name` stands for the path in messages, and external tensors have no numbers.
Imported import_bytes(std::string_view bytes, const std::string& name, const ir::OpTable& ops,
                      Numbers numbers = Numbers::read, const Given& given = {});

}  // namespace foreflow::onnx
