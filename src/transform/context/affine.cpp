#include "transform/context/affine.h"

#include <algorithm>
#include <cmath>

namespace foreflow::transform {
namespace {

constexpr double kLargest = 0x1p53;  // up to here a double, in which sums are checked, holds every whole number

struct Range {
  double least, greatest;
};

// The whole numbers that a type holds without gaps; nothing for types in which no positions are computed.
std::optional<Range> whole_numbers(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::i64:
    case ir::DType::f64: return Range{-kLargest, kLargest};
    case ir::DType::i32: return Range{-0x1p31, 0x1p31 - 1};
    case ir::DType::f32: return Range{-0x1p24, 0x1p24};
    case ir::DType::f16: return Range{-0x1p11, 0x1p11};
    case ir::DType::bf16: return Range{-0x1p8, 0x1p8};
    default: return std::nullopt;
  }
}

// a * factor + b * other, if it is no larger than a double can check.
std::optional<int64_t> checked(int64_t a, int64_t factor, int64_t b, int64_t other) {
  const double first = static_cast<double>(a) * static_cast<double>(factor);
  const double next  = static_cast<double>(b) * static_cast<double>(other);
  if (std::abs(first) > kLargest || std::abs(next) > kLargest || std::abs(first + next) > kLargest) return std::nullopt;
  return a * factor + b * other;
}

}  // namespace

bool Affine::varies() const {
  return std::any_of(factors.begin(), factors.end(), [](int64_t factor) { return factor != 0; });
}

Affine affine_number(size_t rank, int64_t constant) { return {std::vector<int64_t>(rank), constant}; }

Affine with_rank(Affine form, size_t rank) {
  form.factors.insert(form.factors.begin(), rank - std::min(rank, form.factors.size()), 0);
  return form;
}

std::optional<Affine> combined(const Affine& a, int64_t factor, const Affine& b, int64_t other) {
  const size_t rank = std::max(a.factors.size(), b.factors.size());
  const Affine x = with_rank(a, rank), y = with_rank(b, rank);
  Affine sum          = affine_number(rank, 0);
  const auto constant = checked(x.constant, factor, y.constant, other);
  if (!constant) return std::nullopt;
  sum.constant = *constant;
  for (size_t d = 0; d < rank; ++d) {
    const auto of_dimension = checked(x.factors[d], factor, y.factors[d], other);
    if (!of_dimension) return std::nullopt;
    sum.factors[d] = *of_dimension;
  }
  return sum;
}

std::optional<Affine> with_ones_moved(const Affine& form, const ir::Dims& from, const ir::Dims& to) {
  Affine moved = affine_number(to.size(), form.constant);
  size_t d     = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] == 1) continue;
    while (d < from.size() && from[d] == 1) ++d;
    if (d == from.size() || from[d] != to[i]) return std::nullopt;
    moved.factors[i] = form.factors[d++];
  }
  const bool all = std::all_of(from.begin() + d, from.end(), [](int64_t dim) { return dim == 1; });
  return all ? std::optional(moved) : std::nullopt;
}

bool is_exact(const Affine& form, const ir::Dims& dims, ir::DType dtype) {
  const auto range = whole_numbers(dtype);
  if (!range) return false;
  auto least = static_cast<double>(form.constant), greatest = least;
  for (size_t d = 0; d < dims.size(); ++d) {
    const double last = static_cast<double>(form.factors[d]) * static_cast<double>(dims[d] - 1);
    (last < 0 ? least : greatest) += last;
  }
  return least >= range->least && greatest <= range->greatest;
}

}  // namespace foreflow::transform
