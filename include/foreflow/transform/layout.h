// Layouts: how a value is distributed over the ways of one axis of parallelism. A "way" is one of the equal parts of
// the axis: a shard of tensor parallelism, a replica, or a microbatch. How an op transforms layouts follows from its
// dimension factors (ir::Factors) and is the same for all axes. For example, with the factors ik,kj->ij:
//
//   x whole,    w split 1   ->  y split 1     every way computes some columns
//   x split 1,  w split 0   ->  y partial     every way computes a term of the sum over k
//   x split 0,  w whole     ->  y split 0     every way computes some rows
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foreflow/ir/op_def.h"

namespace foreflow::transform {

struct Layout {
  enum class Kind : uint8_t {
    whole,    // every way has the whole value
    split,    // way i has the i-th part of dimension `dim`
    partial,  // every way has a term; the value is their sum
    flat      // the elements, in row-major order and padded with zeros, form a matrix of `ways` rows; way i has row i
  };
  Kind kind   = Kind::whole;
  int32_t dim = 0;
  // split: the dimension consists of `blocks` equal blocks, and every block is split. For example, a fused projection
  // [q|k|v] has 3 blocks, and each way has its part of q, of k and of v.
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

// The layout of a tensor of `rank` dimensions on a mesh of one dimension, as the op Reshard states it: "RS0R".
// Requires: whole, or split in one block.
std::string sharding_spec(const Layout& layout, size_t rank);

// How an op runs on one axis.
struct Decision {
  std::vector<Layout> inputs;   // the layouts in which it needs its operands
  std::vector<Layout> outputs;  // the layouts of its results
  // The operand that only way 0 gets, since it must be added to a sum over the ways only once (the bias of a Gemm); -1:
  // none.
  int32_t once = -1;
};

// Decides how an op runs whose operands have the layouts `arriving`. An operand may be required in another layout than
// it has; the caller then converts it:
//
//   1. A split or partial operand that the op cannot work on is required whole: the caller gathers or sums it.
//   2. A whole operand may be required split: the caller takes a slice.
//   3. An operand whose dimension `ways` does not divide is required whole.
Decision decide(const ir::OpCall& call, std::span<const Layout> arriving, int ways);

// The layout of weight `weight` that makes the results of this op split, with nothing to sum ("column parallel").
// Nothing if the op does not contract the weight with another operand, or if `ways` does not divide the dimension.
std::optional<Layout> starts_split(const ir::OpCall& call, size_t weight, int ways, int64_t blocks);

// The type of the part that one way has. Of a flat tensor with n elements it is Tensor[(1, ceil(n / ways))].
ir::Type local_type(const ir::Type& type, const Layout& layout, int ways);

// The op's attributes for local operands: sizes that they state (Reshape, Expand, Split) shrink with their dimension.
ir::Attributes local_attributes(const ir::OpCall& call, const Decision& decision, std::span<const ir::Type> outputs,
                                int ways);

// part_of: the part of `whole` that way `index` has. whole_of: the value that these parts form; `dims` are its
// dimensions, which flat parts do not tell. The parts of a partial value are (value, 0, 0, ...).
ir::Array part_of(const ir::Array& whole, const Layout& layout, int ways, int index);
ir::Array whole_of(std::span<const ir::Array> parts, const Layout& layout, const ir::Dims& dims = {});

}  // namespace foreflow::transform
