#include "foreflow/transform/pieces.h"

#include <algorithm>
#include <cstring>

#include "foreflow/base/nth.h"

namespace foreflow::transform {
namespace {

// A split tensor seen as [runs][ways][stretch] bytes: way i has the i-th stretch of every run.
struct PieceStretches {
  size_t runs, bytes;
};

PieceStretches stretches(const ir::Dims& whole, ir::DType dtype, const Layout& layout, int ways) {
  size_t runs = static_cast<size_t>(layout.blocks), rest = static_cast<size_t>(ir::size_of(dtype));
  for (size_t i = 0; i < static_cast<size_t>(layout.dim); ++i) runs *= static_cast<size_t>(whole[i]);
  for (size_t i = static_cast<size_t>(layout.dim); i < whole.size(); ++i) rest *= static_cast<size_t>(whole[i]);
  return {runs, rest / static_cast<size_t>(layout.blocks) / static_cast<size_t>(ways)};
}

// The row of a flat tensor that way `index` has: the bytes from `begin` to `end` of the whole, padded to the size of a
// part.
struct PieceRow {
  size_t begin, end, bytes;
};

PieceRow piece_row(size_t whole_bytes, ir::DType dtype, int64_t elements, int ways, int index) {
  const auto row     = static_cast<size_t>((elements + ways - 1) / ways) * static_cast<size_t>(ir::size_of(dtype));
  const size_t begin = std::min(whole_bytes, row * static_cast<size_t>(index));
  return {begin, std::min(whole_bytes, begin + row), row};
}

ir::Array flat_part(const ir::Array& whole, int ways, int index) {
  ir::Array part(whole.dtype(), local_type(whole.type(), Layout::flat(), ways).dims);
  const PieceRow row = piece_row(whole.byte_count(), whole.dtype(), whole.size(), ways, index);
  std::memcpy(part.mutable_bytes(), whole.bytes() + row.begin, row.end - row.begin);
  return part;
}

ir::Array whole_of_flat(std::span<const ir::Array> parts, const ir::Dims& dims) {
  ir::Array whole(parts[0].dtype(), dims);
  for (size_t i = 0; i < parts.size(); ++i) {
    const PieceRow row =
        piece_row(whole.byte_count(), whole.dtype(), whole.size(), static_cast<int>(parts.size()), static_cast<int>(i));
    std::memcpy(whole.mutable_bytes() + row.begin, parts[i].bytes(), row.end - row.begin);
  }
  return whole;
}

}  // namespace

ir::Array part_of(const ir::Array& whole, const Layout& layout, int ways, int index) {
  if (layout.is_whole()) return whole;
  if (layout.is_flat()) return flat_part(whole, ways, index);
  if (layout.is_partial()) return index == 0 ? whole : ir::Array(whole.dtype(), whole.dims());
  const PieceStretches s = stretches(whole.dims(), whole.dtype(), layout, ways);
  ir::Array part(whole.dtype(), local_type(whole.type(), layout, ways).dims);
  for (size_t run = 0; run < s.runs; ++run) {
    std::memcpy(part.mutable_bytes() + run * s.bytes,
                whole.bytes() + (run * static_cast<size_t>(ways) + static_cast<size_t>(index)) * s.bytes, s.bytes);
  }
  return part;
}

ir::Array whole_of(std::span<const ir::Array> parts, const Layout& layout, const ir::Dims& dims_of_whole) {
  FOREFLOW_CHECK(!parts.empty() && !layout.is_partial(), "sums are taken by the program");
  if (layout.is_whole()) return parts[0];
  if (layout.is_flat()) return whole_of_flat(parts, dims_of_whole);
  const auto ways = static_cast<int>(parts.size());
  ir::Dims dims   = parts[0].dims();
  nth(dims, layout.dim) *= ways;
  ir::Array whole(parts[0].dtype(), dims);
  const PieceStretches s = stretches(dims, whole.dtype(), layout, ways);
  for (size_t run = 0; run < s.runs; ++run) {
    for (size_t i = 0; i < parts.size(); ++i) {
      std::memcpy(whole.mutable_bytes() + (run * parts.size() + i) * s.bytes, parts[i].bytes() + run * s.bytes,
                  s.bytes);
    }
  }
  return whole;
}

std::vector<ir::Array> split_arguments(const std::vector<Piece>& pieces, const std::vector<ir::Array>& arguments) {
  std::vector<ir::Array> parts;
  for (const Piece& piece : pieces)
    parts.push_back(part_of(nth(arguments, piece.source), piece.layout, piece.ways, piece.index));
  return parts;
}

std::vector<ir::Array> merge_results(const std::vector<Piece>& pieces, const std::vector<ir::Array>& results,
                                     size_t count) {
  std::vector<ir::Array> whole(count);
  for (size_t i = 0; i < pieces.size(); i += static_cast<size_t>(pieces[i].ways)) {
    std::vector<ir::Array> parts(static_cast<size_t>(pieces[i].ways));
    for (size_t k = 0; k < parts.size(); ++k) nth(parts, pieces[i + k].index) = results[i + k];
    nth(whole, pieces[i].source) = whole_of(parts, pieces[i].layout, pieces[i].dims);
  }
  return whole;
}

}  // namespace foreflow::transform
