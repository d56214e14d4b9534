// Cuts that many pipelines of one program have in common. Each is found once.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "foreflow/schedule/schedule.h"
#include "transform/pipeline/cuts/cuts.h"

namespace foreflow::transform {

class CommonCuts {
 public:
  // `places` must outlive it.
  explicit CommonCuts(std::span<const CutPlace> places) : places_(places) {}

  std::span<const CutPlace> places() const { return places_; }
  // As balanced_at_quiet_places and uniform_cuts.
  const Cuts& balanced(const StageLimits& limits);
  const Cuts& uniform(const std::vector<double>& shares);
  // As relieved(), whatever memory the stages need.
  const Cuts& relieved(const Cuts& from, const StageLimits& limits, schedule::StageMapping mapping,
                       const schedule::Size& size);

 private:
  std::span<const CutPlace> places_;
  std::map<StageLimits, Cuts> balanced_;
  std::map<std::vector<double>, Cuts> uniform_;
  // With the mapping and the number of devices; the chunks are as many as the shares tell.
  std::map<std::tuple<Cuts, StageLimits, schedule::StageMapping, int>, Cuts> relieved_;
};

}  // namespace foreflow::transform
