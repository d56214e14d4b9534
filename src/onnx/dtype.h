// ONNX's numbers for data types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "foreflow/ir/type.h"

namespace foreflow::onnx {

// Nothing for unknown numbers and for the types that Foreflow lacks (strings, complex and 4-bit numbers).
std::optional<ir::DType> find_dtype(int64_t number);
int32_t number_of(ir::DType dtype);
// "STRING", "COMPLEX64", ...; "number 77" for one that no version of ONNX defines.
std::string dtype_text(int64_t number);

}  // namespace foreflow::onnx
