// Elements of the inputs of an ONNX model, which may decide its control flow.
#pragma once

#include <map>
#include <string>

#include "foreflow/base/json.h"
#include "foreflow/ir/array.h"

namespace foreflow::scenario {

// The key `inputs` of a workload: a number, a list of numbers (Int64 if all are whole, else Float64), or a TensorProto
// file for each input.
std::map<std::string, ir::Array> input_numbers(const JsonView& workload);

}  // namespace foreflow::scenario
