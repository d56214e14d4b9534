#include "transform/tensor/to_shard.h"

#include <string>

#include "foreflow/base/refusal.h"
#include "transform/layout/caches.h"

namespace foreflow::transform {
namespace {

// Splits the tables of the vocabulary by rows.
void fix_vocabulary(FunctionToShard& of) {
  of.vocabulary = VocabularyRules(of.function, of.values);
  for (const size_t table : of.vocabulary.tables()) {
    const int64_t rows = of.values[table].type.dims[0];
    if (rows % of.ways != 0) {
      throw RefusalError(Cause::program, of.module.source + ": @" + of.function.name,
                         "vocabulary parallelism over " + std::to_string(of.ways) + " devices does not divide the " +
                             std::to_string(rows) + " rows of %" + of.function.values[table].name + "; pad them to " +
                             std::to_string((rows + of.ways - 1) / of.ways * of.ways));
    }
    of.fixed[table] = 0;
  }
}

}  // namespace

FunctionToShard to_shard(const ir::Module& module, const ir::Function& function,
                         const interpret::Values<interpret::Mixed>& values, int ways, const Sharding& sharding) {
  FunctionToShard of{module,
                     function,
                     values,
                     ways,
                     sharding.plan.kind == TensorPlan::Kind::automatic,
                     caches_of(function),
                     model_weights(function),
                     weight_splits(module, function, values, sharding, ways),
                     {},
                     {}};
  if (ways > 1 && sharding.sequence) of.sequences = SequenceLayouts(module, values);
  if (ways > 1 && sharding.vocabulary) fix_vocabulary(of);
  return of;
}

}  // namespace foreflow::transform
