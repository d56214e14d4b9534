// Sets the shapes of the inputs of an imported model, which files often leave open.
#pragma once

#include <map>
#include <string>

#include "foreflow/onnx/import.h"

namespace foreflow::scenario {

// The module with the input dimensions given in `shapes`, whose keys are input names as in the file or as in the
// program. Other inputs keep the shape of the file. Throws Error at `where` for an unknown name, a shape that
// contradicts the file, and an unknown data type.
ir::Module with_shapes(const onnx::Imported& imported, const std::map<std::string, ir::Dims>& shapes,
                       const std::string& where);

}  // namespace foreflow::scenario
