// Vocabulary parallelism: the ops that can work on a part of the vocabulary, and what replaces each of them.
//
//   Gather(table, ids)        each way looks up the ids whose rows it has and takes zeros for the others; the sum over
//                             the ways is the result
//   GatherGrad(ids, dy)       each way adds up the gradients of its own rows
//   SoftmaxCrossEntropyLoss   for each row of logits, three numbers are combined over the ways: the largest logit, the
//                             sum of exponentials, and the logit of the label
//   its gradient              computed from the same numbers
#pragma once

#include <map>
#include <optional>
#include <set>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/layout.h"
#include "transform/layout/reshard_value.h"

namespace foreflow::transform {

// The embedding tables of the vocabulary, [v,h], as indices of parameters. These are the weights in which a Gather
// looks up rows by indices that are not constant. Of several tables, those with the most rows count: a table of
// positions or of token types is not a vocabulary.
std::set<size_t> vocabulary_tables(const ir::Function& function, const interpret::Values<interpret::Mixed>& values);

class VocabularyRules {
 public:
  VocabularyRules() = default;
  VocabularyRules(const ir::Function& function, const interpret::Values<interpret::Mixed>& values);

  // How an op runs on parts of the vocabulary; nothing if it needs no special treatment.
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

// Writes the ops that work on parts of the vocabulary.
class VocabularyWriter {
 public:
  // The first `written` of the ways are written.
  VocabularyWriter(ir::FunctionBuilder& builder, int ways, int written)
      : builder_(builder), ways_(ways), written_(written) {}

  // Emits the replacement of `op` and returns the copies of its result. `operands` are copies in the layouts that its
  // Decision requires.
  Copies write(const ir::Function& function, const ir::Op& op, const ir::OpCall& call,
               const std::vector<const Copies*>& operands);

 private:
  // Per row of logits: the largest logit, the sum of exp(logit - largest), and the logit of the label.
  struct Sums {
    Copies largest, exponentials, label;
  };
  const Sums& sums(const ir::Function& function, const ir::Op& op, int64_t classes,
                   const std::vector<const Copies*>& operands);
  Copies on_each_way(std::string_view name, const std::vector<const Copies*>& operands, ir::Attributes attributes,
                     int64_t all);

  ir::FunctionBuilder& builder_;
  const int ways_, written_;
  std::map<std::pair<ir::ValueId, ir::ValueId>, Sums> sums_;  // by logits and labels
};

}  // namespace foreflow::transform
