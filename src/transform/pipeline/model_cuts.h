// Finds the cuts of many pipelines of one program.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "transform/pipeline/cuts.h"
#include "transform/pipeline/modelled_program.h"

namespace foreflow::transform {

class ModelCuts {
 public:
  // `program` must outlive it.
  explicit ModelCuts(const ModelledProgram& program) : program_(program) {}

  // As StageModel::add_prices.
  size_t add_prices(const StagePrices& prices);
  // The cuts of `wanted`, whose prices are those of number `prices`. Throws RefusalError if there are too few ops.
  Cuts find(const Pipeline& wanted, size_t prices);

 private:
  Cuts balanced(size_t prices, const StageLimits& limits);
  // For several stages on each device.
  const Cuts& balanced_over_devices(size_t prices, const StageLimits& limits, const Pipeline& wanted);
  const Cuts& known(size_t prices, const StageLimits& limits);

  const ModelledProgram& program_;
  std::vector<std::vector<CutPlace>> places_;  // by number of prices
  std::optional<LayerEnds> layers_;            // once they are asked for
  // Prices and StageLimits.
  using Key = std::tuple<size_t, std::vector<double>, std::vector<double>, double, double, Sharded>;
  static Key key_of(size_t prices, const StageLimits& limits);
  std::map<Key, Cuts> known_;
  // With the schedule, its devices and microbatches; the chunks are as many as the shares tell.
  std::map<std::tuple<Key, const schedule::ScheduleDef*, int, int>, Cuts> known_over_devices_;
};

}  // namespace foreflow::transform
