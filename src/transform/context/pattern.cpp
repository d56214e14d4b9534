#include "transform/context/pattern.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace foreflow::transform {
namespace {

bool equal_elements(const ir::Array& elements, int64_t i, int64_t j) {
  const auto width = static_cast<int64_t>(elements.byte_count()) / elements.size();
  return std::memcmp(elements.bytes() + i * width, elements.bytes() + j * width, static_cast<size_t>(width)) == 0;
}

ir::Array element(const ir::Array& elements, int64_t i) {
  ir::Array one(elements.dtype(), {1});
  std::memcpy(one.mutable_bytes(), elements.bytes() + i * static_cast<int64_t>(one.byte_count()), one.byte_count());
  return one;
}

// The number of the form at the element of that number in row-major order.
int64_t at(const Affine& form, const ir::Dims& dims, int64_t element) {
  int64_t number = form.constant;
  for (size_t d = dims.size(); d-- > 0; element /= dims[d]) number += form.factors[d] * (element % dims[d]);
  return number;
}

// The positions that the first elements along each dimension suggest, if all others agree.
std::optional<Affine> positions(const ir::Array& elements) {
  const ir::Dims& dims = elements.dims();
  const auto whole     = [&](int64_t i) {
    const double number = elements.at(i);
    return std::abs(number) < 0x1p52 && std::trunc(number) == number;
  };
  if (elements.dtype() == ir::DType::boolean || !whole(0)) return std::nullopt;
  Affine form    = affine_number(dims.size(), static_cast<int64_t>(elements.at(0)));
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0; stride *= dims[d]) {
    if (dims[d] == 1) continue;
    if (!whole(stride)) return std::nullopt;
    form.factors[d] = static_cast<int64_t>(elements.at(stride)) - form.constant;
  }
  if (!is_exact(form, dims, elements.dtype())) return std::nullopt;
  for (int64_t i = 0; i < elements.size(); ++i) {
    if (elements.at(i) != static_cast<double>(at(form, dims, i))) return std::nullopt;
  }
  return form;
}

// The choice by a diagonal border of the last two dimensions, if that is what the elements are.
std::optional<Bordered> border(const ir::Array& elements) {
  const ir::Dims& dims = elements.dims();
  const size_t rank    = dims.size();
  if (rank < 2 || dims[rank - 2] == 1) return std::nullopt;
  int64_t first = 0;
  while (first < dims.back() && equal_elements(elements, 0, first)) ++first;
  if (first == dims.back()) return std::nullopt;
  Affine where            = affine_number(rank, -first);
  where.factors[rank - 2] = -1;
  where.factors[rank - 1] = 1;
  for (int64_t i = 0; i < elements.size(); ++i) {
    if (!equal_elements(elements, i, at(where, dims, i) >= 0 ? first : 0)) return std::nullopt;
  }
  return chosen(where, element(elements, first), element(elements, 0));
}

}  // namespace

Bordered chosen(Affine where, ir::Array on, ir::Array off) {
  const auto first =
      std::find_if(where.factors.begin(), where.factors.end(), [](int64_t factor) { return factor != 0; });
  if (first == where.factors.end() || on == off) {
    const ir::Array number = where.constant >= 0 ? on : off;
    return {affine_number(where.factors.size(), 0), number, number};
  }
  if (*first < 0) return {std::move(where), std::move(on), std::move(off)};
  for (int64_t& factor : where.factors) factor = -factor;
  where.constant = -where.constant - 1;
  return {std::move(where), std::move(off), std::move(on)};
}

std::optional<Pattern> pattern_of_elements(const ir::Array& elements) {
  if (elements.is_tuple() || elements.size() == 0) return std::nullopt;
  int64_t same = 1;
  while (same < elements.size() && equal_elements(elements, 0, same)) ++same;
  if (same == elements.size()) {
    const ir::Array number = element(elements, 0);
    return Bordered{affine_number(elements.dims().size(), 0), number, number};
  }
  if (auto form = positions(elements)) return *form;
  if (auto choice = border(elements)) return *std::move(choice);
  return std::nullopt;
}

}  // namespace foreflow::transform
