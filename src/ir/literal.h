// Scans the parts of `.distir` statements: types, devices, attribute values and names. The comments show the forms that
// each function accepts.
#pragma once

#include "foreflow/base/scanner.h"
#include "foreflow/ir/attributes.h"
#include "foreflow/ir/type.h"

namespace foreflow::ir {

// Tensor[Float32, (64, 512), 1] | Int32 | Int32[1] | D1 | D1.comm | Tuple[T, T] | ?
Type scan_type(Scanner& scanner);
// 2 | -0.5 | 1.comm | "text" | word | [1, 2] | Int64(2,)[1, 2]
Attribute scan_attribute(Scanner& scanner);
// The name of a value, function or op attribute: letters, digits and _ . / - and pairs of colons.
std::string_view scan_name(Scanner& scanner);

}  // namespace foreflow::ir
