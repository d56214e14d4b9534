// How a value is spread over the ways of one axis of parallelism (tensor, data, or microbatches), and what an op does
// to that: the op's dimension factors decide (ir::Factors). The same rules serve all three axes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foreflow/ir/op_def.h"

namespace foreflow::transform {

struct Layout {
  enum class Kind : uint8_t {
    whole,    // every way has all of it
    split,    // way i has the i-th part of dimension `dim`
    partial,  // the value is the sum of what the ways have
    flat      // way i has the i-th row of its elements in row-major order, as a matrix of `ways` rows padded with zeros
  };
  Kind kind   = Kind::whole;
  int32_t dim = 0;
  // The dimension counts `blocks` equal blocks, each of which is split by itself: a fused [q|k|v] projection is split
  // in 3 blocks.
  int64_t blocks = 1;

  static Layout whole() { return {}; }
  static Layout split(int32_t dim, int64_t blocks = 1) { return {Kind::split, dim, blocks}; }
  static Layout partial() { return {Kind::partial, 0, 1}; }
  static Layout flat() { return {Kind::flat, 0, 1}; }
  bool is_whole() const { return kind == Kind::whole; }
  bool is_split() const { return kind == Kind::split; }
  bool is_partial() const { return kind == Kind::partial; }
  bool is_flat() const { return kind == Kind::flat; }
  auto operator<=>(const Layout&) const = default;
};

std::string to_string(const Layout& layout);  // "whole", "split 1", "split 1 in 3 blocks", "partial", "flat"

// How an op runs on one axis: the layouts that it needs its operands in and those of its results.
struct Decision {
  std::vector<Layout> inputs;
  std::vector<Layout> outputs;
  // Operand that only way 0 gets, because it is added once to a sum over the ways (the bias of a Gemm); -1: none.
  int32_t once = -1;
};

// Decides for operands that arrive as `arriving`. A split or partial operand that the op cannot work on is asked for as
// whole (the caller gathers or sums it first); a whole operand may be asked for as split (the caller takes its part).
// `ways` must divide what is split, else the operand is asked for as whole.
Decision decide(const ir::OpCall& call, std::span<const Layout> arriving, int ways);

// The layout that splits a weight `weight` of this op so that its results are split with nothing to sum ("by column"):
// the op contracts the weight with another operand. Nothing when the op is no such product or `ways` does not divide
// the dimension.
std::optional<Layout> starts_split(const ir::OpCall& call, size_t weight, int ways, int64_t blocks);

// The part of `type` that one way has: of a flat tensor of n elements Tensor[(1, n / ways rounded up)].
ir::Type local_type(const ir::Type& type, const Layout& layout, int ways);

// The op's attributes for local operands: sizes written into Reshape, Expand and Split shrink with their dimension.
ir::Attributes local_attributes(const ir::OpCall& call, const Decision& decision, std::span<const ir::Type> outputs,
                                int ways);

// The i-th of `ways` parts of `whole`, as `layout` spreads it; and back. Partial parts are (value, 0, 0, ...). `dims`
// are those of the whole, which flat parts do not tell.
ir::Array part_of(const ir::Array& whole, const Layout& layout, int ways, int index);
ir::Array whole_of(std::span<const ir::Array> parts, const Layout& layout, const ir::Dims& dims = {});

}  // namespace foreflow::transform
