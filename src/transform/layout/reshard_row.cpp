#include "transform/layout/reshard_row.h"

#include <numeric>

#include "foreflow/base/nth.h"
#include "foreflow/ir/replicas.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using Ints = std::vector<int64_t>;

class Conversion {
 public:
  Conversion(ir::FunctionBuilder& builder, const ir::Type& whole, Ways ways, Shrinks shrinks)
      : builder_(builder),
        dims_(whole.dims.begin(), whole.dims.end()),
        written_(ways),
        ways_(ways.all),
        shrinks_(shrinks) {}

  Row run(Row row, const Layout& from, const Layout& to) const {
    if (from.is_whole()) return parts(row, to);
    if (from.is_split() && to.is_split() && from.dim == to.dim) return parts(run(row, from, Layout::whole()), to);
    Ints dims = dims_;
    if (from.is_split()) dims[at(from)] /= ways_;
    if (to.is_split()) row = with_ways_first(row, dims, at(to), to.blocks);  // parts stand in one piece
    for (Copies& copies : row) copies = exchanged(copies, from, to);
    if (from.is_partial()) return row;
    dims[at(from)] *= ways_;
    if (to.is_split()) dims[at(to)] /= ways_;
    return with_blocks_first(row, dims, at(from), from.blocks);
  }

 private:
  static size_t at(const Layout& layout) { return static_cast<size_t>(layout.dim); }

  Copies exchanged(const Copies& copies, const Layout& from, const Layout& to) const {
    const auto emit = [&](std::string_view op, ir::Attributes attributes) {
      return builder_.emit(op, copies, of_ways(std::move(attributes), written_), static_cast<size_t>(written_.written));
    };
    if (from.is_partial() && to.is_whole()) return emit("MPIAllreduce", {});
    if (from.is_partial()) return emit("MPIReduceScatter", {{"axis", int64_t{to.dim}}});
    if (to.is_whole()) return emit("MPIAllgather", {{"axis", int64_t{from.dim}}});
    return emit("MPIAlltoall", {{"split_axis", int64_t{to.dim}}, {"concat_axis", int64_t{from.dim}}});
  }

  // f(copy, way) for every copy, way by way.
  template <class F>
  static Row each(const Row& row, size_t ways, F f) {
    Row result(row.size());
    for (size_t way = 0; way < ways; ++way) {
      for (size_t i = 0; i < row.size(); ++i) result[i].push_back(f(row[i][row[i].size() == 1 ? 0 : way], way));
    }
    return result;
  }

  Row applied(const Row& row, std::string_view op, const ir::Attributes& attributes) const {
    return each(row, row[0].size(), [&](ValueId copy, size_t) { return builder_.op(op, {copy}, attributes); });
  }

  // `dims` with one dimension seen as several. Dimensions before it are kept whatever they are.
  static Ints seen_as(const Ints& dims, size_t dim, const Ints& seen) {
    Ints shape(dim, 0);
    shape.insert(shape.end(), seen.begin(), seen.end());
    shape.insert(shape.end(), dims.begin() + static_cast<std::ptrdiff_t>(dim) + 1, dims.end());
    return shape;
  }

  // [blocks, ways, rest] -> [ways, blocks, rest] within a dimension, and back.
  Row with_ways_first(const Row& row, const Ints& dims, size_t dim, int64_t blocks) const {
    if (blocks == 1) return row;
    return shrinks_ == Shrinks::rest ? dealt(row, dim, blocks, ways_)
                                     : swapped(row, dims, dim, {-1, ways_, dims[dim] / blocks / ways_});
  }
  Row with_blocks_first(const Row& row, const Ints& dims, size_t dim, int64_t blocks) const {
    if (blocks == 1) return row;
    return shrinks_ == Shrinks::rest ? dealt(row, dim, ways_, blocks)
                                     : swapped(row, dims, dim, {ways_, -1, dims[dim] / blocks / ways_});
  }

  Row swapped(const Row& row, const Ints& dims, size_t dim, const Ints& seen) const {
    Ints order(dims.size() + 2);
    std::iota(order.begin(), order.end(), int64_t{0});
    std::swap(order[dim], order[dim + 1]);
    const Row turned =
        applied(applied(row, "Reshape", {{"shape", seen_as(dims, dim, seen)}}), "Transpose", {{"perm", order}});
    return applied(turned, "Reshape", {{"shape", seen_as(dims, dim, {-1})}});
  }

  // [outer, inner, rest] -> [inner, outer, rest] by parts, whatever the size of the rest.
  Row dealt(const Row& row, size_t dim, int64_t outer, int64_t inner) const {
    const auto axis  = static_cast<int64_t>(dim);
    const auto count = static_cast<size_t>(outer * inner);
    std::vector<Copies> ordered;  // per copy: its parts in their new order
    each(row, row[0].size(), [&](ValueId copy, size_t) {
      const auto parts = builder_.emit("Split", {copy}, {{"axis", axis}, {"num_outputs", outer * inner}}, count);
      ordered.emplace_back();
      for (size_t i = 0; i < count; ++i)
        ordered.back().push_back(
            parts[i % static_cast<size_t>(outer) * static_cast<size_t>(inner) + i / static_cast<size_t>(outer)]);
      return copy;
    });
    size_t next = 0;
    return each(row, row[0].size(), [&](ValueId, size_t) {
      return builder_.op("Concat", ordered[next++], {{"axis", axis}});
    });
  }

  // Way i keeps the i-th part of what it has whole.
  Row parts(const Row& row, const Layout& to) const {
    if (to.is_whole()) return row;
    const int64_t size = dims_[at(to)] / ways_;
    return each(with_ways_first(row, dims_, at(to), to.blocks), static_cast<size_t>(written_.written),
                [&](ValueId copy, size_t way) {
                  const auto start = static_cast<int64_t>(way) * size;
                  return builder_.op("Slice", {copy},
                                     {{"axes", Ints{to.dim}}, {"starts", Ints{start}}, {"ends", Ints{start + size}}});
                });
  }

  ir::FunctionBuilder& builder_;
  const Ints dims_;  // of the whole value
  const Ways written_;
  const int ways_;  // all
  const Shrinks shrinks_;
};

}  // namespace

Row convert(ir::FunctionBuilder& builder, const Row& row, const Layout& from, const Layout& to, const ir::Type& whole,
            Ways ways, Shrinks shrinks) {
  return from == to ? row : Conversion(builder, whole, ways, shrinks).run(row, from, to);
}

ir::Attributes of_ways(ir::Attributes attributes, Ways ways) {
  if (ways.written < ways.all) attributes.set(std::string(ir::kRanks), int64_t{ways.all});
  return attributes;
}

void add_result(std::vector<ir::ValueId>& results, std::vector<Piece>& pieces, size_t source, const Layout& layout,
                const Copies& copies, int ways) {
  const int count = layout.is_whole() ? 1 : ways;
  for (int way = 0; way < count; ++way) {
    results.push_back(nth(copies, way));
    pieces.push_back({static_cast<int32_t>(source), layout, count, way});
  }
}

double conversion_bytes(const Layout& from, const Layout& to, const ir::Type& whole, int ways) {
  if (from == to || from.is_whole()) return 0;
  const double bytes = ir::bytes_of(whole).value(), share = (ways - 1.0) / ways;
  if (from.is_partial()) return to.is_whole() ? 2 * bytes * share : bytes * share;
  const bool exchanged = to.is_split() && to.dim != from.dim;
  return exchanged ? bytes * share / ways : bytes * share;
}

}  // namespace foreflow::transform
