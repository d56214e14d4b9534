// Whole numbers that depend on the index of an element alone, and linearly: positions, and their differences.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "foreflow/ir/type.h"

namespace foreflow::transform {

// The element at index i is constant + sum over d of factors[d] * i[d]. A dimension of 1 has the factor 0, so equal
// elements have equal forms. Results of the functions below are nothing where a number could be above 2^53.
struct Affine {
  std::vector<int64_t> factors;  // per dimension
  int64_t constant = 0;

  bool operator==(const Affine& other) const = default;
  bool varies() const;
};

// constant of every element of a tensor of `rank` dimensions.
Affine affine_number(size_t rank, int64_t constant);

// a * factor + b * other; both as far as their last dimensions, as broadcasting aligns them.
std::optional<Affine> combined(const Affine& a, int64_t factor, const Affine& b, int64_t other);

// The form seen with `rank` dimensions, new ones before the others, as broadcasting adds them.
Affine with_rank(Affine form, size_t rank);

// The form of the same elements in another shape, if the two differ only in dimensions of 1; nothing otherwise.
std::optional<Affine> with_ones_moved(const Affine& form, const ir::Dims& from, const ir::Dims& to);

// True if a tensor of these dimensions and this type holds every number of the form exactly.
bool is_exact(const Affine& form, const ir::Dims& dims, ir::DType dtype);

}  // namespace foreflow::transform
