// Finds rules for the elements of values that depend on no data, however many elements they have: each value is
// interpreted as a rule for its elements, op by op.
//
//   %p = Range(0, 4096, 1)                        i
//   %r = Unsqueeze(%p, 1)                         i0                         [4096, 1]
//   %b = Less(%r, %p)                             i1 - i0 - 1 >= 0 ? true : false
//   %m = Where(%b, -inf, 0)                       i1 - i0 - 1 >= 0 ? -inf : 0
//
// A rule holds for every element; a value for which none is found has none.
#pragma once

#include <optional>
#include <vector>

#include "transform/context/known_function.h"
#include "transform/context/pattern.h"

namespace foreflow::transform {

class ElementPatterns {
 public:
  // Interprets the whole function.
  explicit ElementPatterns(const KnownFunction& of);

  // The rule of a value; null: none is known.
  const Pattern* of(ir::ValueId id) const {
    const auto& pattern = patterns_[ir::index(id)];
    return pattern ? &*pattern : nullptr;
  }

 private:
  std::vector<std::optional<Pattern>> patterns_;  // per value
};

}  // namespace foreflow::transform
