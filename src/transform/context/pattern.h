// A rule for the elements of a tensor, which takes no more memory for a larger one.
#pragma once

#include <optional>
#include <variant>

#include "foreflow/ir/array.h"
#include "transform/context/affine.h"

namespace foreflow::transform {

// Elements that are one of two numbers, each an array (1,) of the tensor's type: `on` where the form is 0 or more,
// `off` elsewhere. Where both are the same number, the form is that of the number 0. Otherwise the first factor that is
// not 0 is negative, so that forms of one border are equal.
struct Bordered {
  Affine where;
  ir::Array on, off;
};

// Whole numbers, or a choice between two numbers of any type.
using Pattern = std::variant<Affine, Bordered>;

// The choice between any two numbers by any form.
Bordered chosen(Affine where, ir::Array on, ir::Array off);

// The pattern of elements that are known; nothing if they follow none. Borders are found where the first element of the
// last two dimensions is not behind one.
std::optional<Pattern> pattern_of_elements(const ir::Array& elements);

}  // namespace foreflow::transform
