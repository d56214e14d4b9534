// Cuts that many pipelines of one program have in common. Each is found once.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "foreflow/schedule/schedule.h"
#include "transform/pipeline/cuts/cuts.h"
#include "transform/pipeline/cuts/schedule_time.h"

namespace foreflow::transform {

class CommonCuts {
 public:
  // `places` must outlive it.
  explicit CommonCuts(std::span<const CutPlace> places) : places_(places) {}

  std::span<const CutPlace> places() const { return places_; }
  // The cuts of a balanced pipeline: balanced_cuts at the quiet places. In a convolutional network the bytes shrink
  // from layer to layer, so that hardly any place is quiet; where even uniform_cuts make the slowest stage faster, all
  // places count. Where no cuts keep all stages within limits.memory, those without a limit.
  const Cuts& balanced(const StageLimits& limits);
  // As uniform_cuts.
  const Cuts& uniform(const std::vector<double>& shares);
  // As relieved(), whatever memory the stages need.
  const Cuts& relieved(const Cuts& from, const StageLimits& limits, schedule::StageMapping mapping,
                       const schedule::Size& size);
  // Valid until the next call.
  const ScheduleTime& time(const schedule::ScheduleDef& schedule, const schedule::Size& size);

 private:
  // The schedule that was asked for last: cuts with different limits are compared by the same one.
  struct Timed {
    const schedule::ScheduleDef* schedule;
    schedule::Size size;
    ScheduleTime time;
  };

  Cuts find_balanced(const StageLimits& limits);
  // As quiet_places.
  const std::vector<CutPlace>& quiet(size_t stages);

  std::span<const CutPlace> places_;
  std::map<size_t, std::vector<CutPlace>> quiet_;  // by number of stages
  std::map<StageLimits, Cuts> balanced_;
  std::map<std::vector<double>, Cuts> uniform_;
  // With the mapping and the number of devices; the chunks are as many as the shares tell.
  std::map<std::tuple<Cuts, StageLimits, schedule::StageMapping, int>, Cuts> relieved_;
  std::optional<Timed> timed_;
};

}  // namespace foreflow::transform
