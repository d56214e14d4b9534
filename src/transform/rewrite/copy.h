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

// For builders that only copy ops of another function.
const ir::OpTable& no_ops();

// Declares the parameters of `function`, with their annotations.
void copy_parameters(ir::FunctionBuilder& builder, const ir::Function& function, ValueMap& map);
// The same without asking whether names are taken: for builders that have names of `function` only.
void take_parameters(ir::FunctionBuilder& builder, const ir::Function& function, ValueMap& map);
// Appends one op; its operands have copies. Names and annotations are kept.
void copy_op(ir::FunctionBuilder& builder, const ir::Function& function, const ir::Op& op, ValueMap& map);
// The copies of `ids`.
std::vector<ir::ValueId> copies(std::span<const ir::ValueId> ids, const ValueMap& map);

}  // namespace foreflow::transform
