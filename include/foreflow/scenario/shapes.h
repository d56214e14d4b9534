// Sets the shapes of the inputs of an imported model, which files often leave open.
#pragma once

#include <map>
#include <string>

#include "foreflow/onnx/import.h"

namespace foreflow::scenario {

// The sizes of a model's inputs as a user states them, and the places of these statements, for errors.
struct InputSizes {
  std::map<std::string, ir::Dims> shapes;  // by input: its name in the file or in the program
  std::map<std::string, int64_t> dims;     // by symbol: "batch"
  std::string shapes_place = "--shape", dims_place = "--dim";
};

// The module with the sizes of its inputs. A symbol has one size in all inputs, whether `dims` states it or the shape
// of one input; dimensions of which nothing is said stay as the file states them. Throws Error at the place for an
// unknown input or symbol, an unknown data type, and sizes that contradict the file or each other.
ir::Module with_sizes(const onnx::Imported& imported, const InputSizes& sizes);

// The same for shapes alone, which stand at `where`.
ir::Module with_shapes(const onnx::Imported& imported, const std::map<std::string, ir::Dims>& shapes,
                       const std::string& where);

// The model, whose sizes are known, with its samples in the first dimension of its inputs: where the name of another
// dimension says that it counts samples ("batch" in [sequence, batch, 64]), the program takes that input with this
// dimension first. A model whose first input begins with its batch, or names none, is returned as it is.
onnx::Imported with_samples_first(onnx::Imported imported);

// The module, whose sizes are known, with what its samples share made for one sample (transform::separate_samples), so
// that its batch can be cut. The batch is the open dimension with which the first input begins; without one, the module
// is returned as it is.
ir::Module with_separate_samples(const onnx::Imported& imported, const ir::Module& module);

}  // namespace foreflow::scenario
