// Vocabulary parallelism: which ops work on a part of the vocabulary, and what takes their place.
//
//   Gather(table, ids)               each way looks up the rows that it has, zeros for others; the sum is the whole
//   lookup GatherGrad(ids, dy)              each way adds up the gradients of its own rows SoftmaxCrossEntropyLoss the
//   largest logit, the sum of exponentials and the label's logit of each row, over all ways and its gradient from the
//   same sums
#pragma once

#include <map>
#include <optional>
#include <set>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/layout.h"
#include "transform/layout/reshard_value.h"

namespace foreflow::transform {

// The embedding tables [v,h] that are split by rows: weights that Gather looks up by numbers which are not constants,
// those with the most rows (a table of positions or of token types is no vocabulary). Parameters by number.
std::set<size_t> vocabulary_tables(const ir::Function& function, const interpret::Values<interpret::Mixed>& values);

class VocabularyRules {
 public:
  VocabularyRules() = default;
  VocabularyRules(const ir::Function& function, const interpret::Values<interpret::Mixed>& values);

  // How an op runs on parts of the vocabulary; nothing when it is an op like any other.
  std::optional<Decision> decide(const ir::Function& function, const ir::Op& op, const ir::OpCall& call,
                                 std::span<const Layout> arriving) const;

  const std::set<size_t>& tables() const { return tables_; }

 private:
  bool looks_up_part(const ir::Function& function, const ir::Op& op, const ir::OpCall& call,
                     std::span<const Layout> arriving) const;
  bool adds_up_part(const ir::Function& function, const ir::Op& op, const ir::OpCall& call) const;

  bool active_ = false;
  std::set<size_t> tables_;
  std::set<std::pair<ir::ValueId, int64_t>> lookups_;  // the ids and the rows of the table
};

// Writes those ops.
class VocabularyWriter {
 public:
  VocabularyWriter(ir::FunctionBuilder& builder, int ways) : builder_(builder), ways_(ways) {}

  // The copies of the op's one result. `operands`: copies as its Decision asked for them.
  Copies write(const ir::Function& function, const ir::Op& op, const ir::OpCall& call,
               const std::vector<const Copies*>& operands);

 private:
  // Of one table of logits and its labels, per row: the largest logit, and the sum of the exponentials of the
  // differences to it.
  struct Sums {
    Copies largest, exponentials, label;
  };
  const Sums& sums(const ir::Function& function, const ir::Op& op, int64_t classes,
                   const std::vector<const Copies*>& operands);
  Copies on_each_way(std::string_view name, const std::vector<const Copies*>& operands, ir::Attributes attributes,
                     int64_t all);

  ir::FunctionBuilder& builder_;
  const int ways_;
  std::map<std::pair<ir::ValueId, ir::ValueId>, Sums> sums_;  // by logits and labels
};

}  // namespace foreflow::transform
