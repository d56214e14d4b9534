// Finds the cuts of many pipelines of one program.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "transform/pipeline/cuts/common_cuts.h"
#include "transform/pipeline/model/modelled_program.h"

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
  const Cuts& balanced(size_t prices, const StageLimits& limits);
  // For several stages on each device.
  const Cuts& over_devices(size_t prices, const StageLimits& limits, const Pipeline& wanted);

  const ModelledProgram& program_;
  std::deque<std::vector<CutPlace>> places_;  // by number of prices
  std::vector<CommonCuts> common_;            // likewise
  std::optional<LayerEnds> layers_;           // once they are asked for
  // By number of prices, limits, schedule, its devices and microbatches.
  std::map<std::tuple<size_t, StageLimits, const schedule::ScheduleDef*, int, int>, Cuts> over_devices_;
};

}  // namespace foreflow::transform
