// The inputs of a model's graph, which become data parameters of the program.
#pragma once

#include <string>
#include <vector>

#include "foreflow/onnx/import.h"
#include "onnx/emitter.h"
#include "onnx/scope.h"

namespace foreflow::onnx {

// Adds a parameter for each input without a default, or for each element of one that is a sequence, and defines the
// names of the inputs in `main`. Returns the parameters. Throws Error, naming `file` and the input, for inputs that the
// file or `given` states wrongly or not enough.
std::vector<Port> add_inputs(Scope& main, const std::string& file, const Given& given, Emitter& emitter);

}  // namespace foreflow::onnx
