// The facts about a function that is to be sharded, known before any layout is decided, and the form in which its ops
// are looked at one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/layout.h"
#include "foreflow/transform/sharding.h"
#include "transform/layout/sequence_layout.h"
#include "transform/tensor/vocabulary.h"
#include "transform/tensor/weight_plan.h"

namespace foreflow::transform {

struct FunctionToShard {
  const ir::Module& module;
  const ir::Function& function;
  const interpret::Values<interpret::Mixed>& values;
  int ways;
  bool automatic;                            // weights are split as they are met
  std::vector<bool> caches, model_weights;   // per parameter
  SplitDims fixed;                           // by the plan and by vocabulary parallelism
  std::optional<SequenceLayouts> sequences;  // of sequence parallelism
  VocabularyRules vocabulary;                // of vocabulary parallelism

  bool is_parameter(ir::ValueId id) const { return ir::index(id) < function.parameters.size(); }
  bool is_fixed(ir::ValueId id) const { return is_parameter(id) && fixed[ir::index(id)]; }
  // Returns true if the uses of a parameter decide its layout: a cache of keys and values, an optimizer state, or a
  // weight that the plan leaves open.
  bool is_open(size_t parameter) const {
    const bool weight = function.parameters[parameter] == ir::ParameterRole::weight;
    return caches[parameter] || (weight && (automatic || !model_weights[parameter]));
  }
};

// Throws RefusalError as weight_splits does, and if vocabulary parallelism does not divide the rows of a table.
FunctionToShard to_shard(const ir::Module& module, const ir::Function& function,
                         const interpret::Values<interpret::Mixed>& values, int ways, const Sharding& sharding);

// The origin of a split: the number of the weight from which it spread, or one of these.
constexpr int32_t kNoOrigin       = -1;
constexpr int32_t kSequenceOrigin = -2;  // sequence parallelism; may be gathered anywhere

// An op with the layouts in which its operands arrive. Its leader is the operand whose split decides how the op is
// split: the first split activation or, if there is none, the first split parameter.
struct Arrival {
  const ir::Op& op;
  const ir::OpCall& call;
  std::span<const ir::ValueId> inputs;
  std::vector<Layout> layouts = {};
  int32_t leader              = -1;         // -1: none
  int32_t origin              = kNoOrigin;  // of the leader
};

}  // namespace foreflow::transform
