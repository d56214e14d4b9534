// Copies functions op by op, with every value renamed.
#pragma once

#include <span>
#include <vector>

#include "foreflow/ir/builder.h"

namespace foreflow::transform {

// Old value -> new value; ValueId::none where there is no copy yet.
class ValueMap {
 public:
  explicit ValueMap(size_t values) : to_(values, ir::ValueId::none) {}
  ir::ValueId operator()(ir::ValueId from) const { return from == ir::ValueId::none ? from : to_[ir::index(from)]; }
  void set(ir::ValueId from, ir::ValueId to) { to_[ir::index(from)] = to; }
  bool has(ir::ValueId from) const { return to_[ir::index(from)] != ir::ValueId::none; }

 private:
  std::vector<ir::ValueId> to_;
};

// An empty table, for builders that only copy ops of other functions.
const ir::OpTable& no_ops();

// Declares the parameters of `function`, with their annotations.
void copy_parameters(ir::FunctionBuilder& builder, const ir::Function& function, ValueMap& map);
// The same without checking whether names are taken; for builders all of whose names come from `function`.
void take_parameters(ir::FunctionBuilder& builder, const ir::Function& function, ValueMap& map);
// Appends a copy of `op`, whose operands must have copies, with its names and annotations.
void copy_op(ir::FunctionBuilder& builder, const ir::Function& function, const ir::Op& op, ValueMap& map);
// The copies of `ids`.
std::vector<ir::ValueId> copies(std::span<const ir::ValueId> ids, const ValueMap& map);

}  // namespace foreflow::transform
