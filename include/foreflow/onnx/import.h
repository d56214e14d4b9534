// Imports an `.onnx` file as a Module with one function on one device. Knows the file format and the meaning of each
// opset; kernels and type rules are the business of the op table.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::onnx {

// A graph input or output.
struct Port {
  std::string name;                     // in the file
  std::string value;                    // in the program, without '%'
  std::vector<std::string> dimensions;  // as the file states them: "batch", "768", "?"; empty: a scalar, or no shape
};

struct Imported {
  ir::Module module;
  // Elements of weight parameters, by name in the program, as far as the files have them.
  std::map<std::string, ir::Array> weights;
  std::vector<Port> inputs;       // the data parameters, in order
  std::vector<Port> outputs;      // the results, in order
  int64_t opset         = 0;      // of ONNX's own operators
  int64_t nodes         = 0;      // in the file
  bool has_control_flow = false;  // the program may be valid only for what was given
};

// The type of a graph input or output.
enum class Form : uint8_t { tensor, sequence, optional_tensor, optional_sequence };
constexpr bool is_optional(Form form) { return form == Form::optional_tensor || form == Form::optional_sequence; }
constexpr bool is_sequence(Form form) { return form == Form::sequence || form == Form::optional_sequence; }

struct StatedPort {
  std::string name;  // in the file
  Form form;
};

// The graph inputs of the model at `path` that have no default, in their order. Throws Error as import_model does for a
// file that is unreadable or no model.
std::vector<StatedPort> stated_inputs(const std::string& path);
// The same for its outputs.
std::vector<StatedPort> stated_outputs(const std::string& path);

// Tells whether the importer reads the elements of weights. Predictions of time and memory do not need them.
enum class Numbers : uint8_t { read, skip };

// The facts about graph inputs that the caller knows and the file does not state, by the name of the input in the file.
// If control flow depends on it, the imported program is only valid for these shapes and elements. The elements of a
// sequence "s" are "s/0", "s/1", ..; it has as many as are named here.
struct Given {
  std::map<std::string, ir::Dims> shapes;
  std::map<std::string, ir::Array> inputs;
  std::map<std::string, int64_t> dims = {};  // sizes of the symbols in Port::dimensions
  std::set<std::string> absent        = {};  // optional inputs without a value, and sequences without elements
};

// Every symbol of the inputs with its size: stated in given.dims, or read off a shape in given.shapes. Throws Error at
// `dims_place` or `shapes_place` for a symbol that no input has, and where two places contradict each other; it names
// both.
std::map<std::string, int64_t> symbol_sizes(const std::vector<Port>& inputs, const Given& given,
                                            const std::string& shapes_place, const std::string& dims_place);

// Imports the model at `path`.
//
// 1. Graph inputs become data parameters, each element of a sequence one of its own. An optional input has a value
//    unless it is `absent`.
// 2. Initializers become weight parameters. Those on which shapes may depend (small integer and boolean tensors, single
//    floats) become Constant ops.
// 3. Nodes are sorted topologically, and ops of old opsets are rewritten as ops of the newest.
// 4. Control flow is unrolled: an If with a known condition becomes the branch taken, an If without one computes both
//    branches and selects between their results, and a Loop or Scan becomes its iterations.
// 5. Weights in external files that do not exist are absent from `weights`.
//
// Throws Error naming the file and the node or tensor if a file is unreadable or malformed, if `ops` lacks an op, if
// the graph has a cycle, or if the number of iterations of a loop is not known.
Imported import_model(const std::string& path, const ir::OpTable& ops, Numbers numbers = Numbers::read,
                      const Given& given = {});

// Imports a model from memory. `name` replaces the path in messages; external tensors are not read.
Imported import_bytes(std::string_view bytes, const std::string& name, const ir::OpTable& ops,
                      Numbers numbers = Numbers::read, const Given& given = {});

// Returns a remark for the user if a model imports a newer opset of ONNX's own operators than is known here. Returns ""
// if there is nothing to say, or if the file is not a model. Does not read the graph.
std::string opset_remark(const std::string& path);

// Returns a remark for the user about the first scale of quantised numbers in an imported model that is infinite or no
// number. Returns "" if there is none, or if the numbers of weights were not read.
std::string scale_remark(const Imported& imported);

}  // namespace foreflow::onnx
