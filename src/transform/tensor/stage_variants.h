// The places of ops in a program whose stages are sharded in different ways: the variants in which each op runs, and
// the values that go from one variant to another.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"
#include "transform/tensor/shard_stages.h"

namespace foreflow::transform {

// A value that another variant reads than those that make it.
struct Crossing {
  size_t variant;  // that reads it
  size_t reader;   // the first op that does
  int stage;       // where that op runs
};

class StageVariants {
 public:
  StageVariants(const ir::Function& function, const StagesToShard& stages);

  // The variants that run an op. An optimizer runs in all variants that have its weight.
  const std::vector<size_t>& variants(size_t op) const { return variants_[op]; }
  // The variants that make a value without a message; never empty.
  const std::vector<size_t>& native(size_t value) const { return native_[value]; }
  const std::vector<Crossing>& crossings(size_t value) const { return crossings_[value]; }
  // Per value: whether it crosses to the variant. Empty where there is only one.
  std::vector<bool> arriving(size_t variant) const;
  // The first op that reads the value; the number of ops where none does.
  size_t first_reader(size_t value) const { return first_reader_[value]; }
  // The stage of an op; of an update, that of the weight or of the first operand.
  int stage(size_t op) const { return stage_[op]; }
  int stage_of_value(size_t value) const { return stage_of_value_[value]; }

  // The operands and the results of an op that a variant has, by their positions: of an optimizer of many weights only
  // those of the weights that the variant has.
  std::vector<size_t> operands(size_t op, size_t variant) const;
  std::vector<uint32_t> results(size_t op, size_t variant) const;

 private:
  // An optimizer of many weights: w1..wn, dw1..dwn -> n results.
  bool is_of_many(const ir::Op& op) const;
  bool has_weight(size_t op, size_t row, size_t variant) const;
  void place_parameters(const StagesToShard& stages);
  void place_ops(const StagesToShard& stages);
  void place_update(size_t op);
  void find_crossings();
  // The stage in which a variant has the weight of an optimizer; otherwise the op's own.
  int stage_for(size_t op, size_t variant, ir::ValueId operand) const;

  const ir::Function& function_;
  const size_t count_;  // of variants
  std::vector<OpPlace> places_;
  std::vector<std::vector<size_t>> variants_;     // per op
  std::vector<std::vector<size_t>> native_;       // per value
  std::vector<std::vector<Crossing>> crossings_;  // per value
  std::vector<size_t> first_reader_;              // per value
  std::vector<int> stage_;                        // per op
  std::vector<int> stage_of_value_;               // per value
  // Per parameter and variant: the first stage that reads it; -1: none.
  std::vector<std::vector<int>> stage_of_parameter_;
};

}  // namespace foreflow::transform
