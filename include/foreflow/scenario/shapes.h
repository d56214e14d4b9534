// Shapes for the inputs of an imported model, which files often leave open.
#pragma once

#include <map>
#include <string>

#include "foreflow/onnx/import.h"

namespace foreflow::scenario {

// The module with the dimensions of its inputs as given, by the file's or the program's name of the input. An input
// that `shapes` leaves out keeps what the file states. Throws Error at `where`: unknown names, contradictions, unknown
// data types.
ir::Module with_shapes(const onnx::Imported& imported, const std::map<std::string, ir::Dims>& shapes,
                       const std::string& where);

}  // namespace foreflow::scenario
