#include "transform/pipeline/cuts/device_relief.h"

#include <algorithm>
#include <optional>

#include "foreflow/base/nth.h"

namespace foreflow::transform {
namespace {

// With more stages, work is passed on to neighbours only: all other ways would cost more than cuts are worth.
constexpr size_t kFewStages = 16;

// The sum of what the stages of each device have.
template <typename T>
std::vector<T> by_device(const std::vector<T>& of_stages, schedule::StageMapping mapping, const schedule::Size& size) {
  std::vector<T> sums(static_cast<size_t>(size.devices), T(0));
  for (int device = 0; device < size.devices; ++device) {
    for (int chunk = 0; chunk < size.chunks; ++chunk)
      nth(sums, device) += nth(of_stages, schedule::stage_of(mapping, size, device, chunk));
  }
  return sums;
}

// Moves cuts from place to place as long as that relieves the slowest device.
class Relief {
 public:
  Relief(std::span<const CutPlace> places, const StageLimits& limits, schedule::StageMapping mapping,
         const schedule::Size& size)
      : places_(places), limits_(limits), mapping_(mapping), size_(size), device_of_(limits.shares.size()) {
    for (int device = 0; device < size.devices; ++device) {
      for (int chunk = 0; chunk < size.chunks; ++chunk)
        nth(device_of_, schedule::stage_of(mapping, size, device, chunk)) = device;
    }
  }

  Cuts run(const Cuts& from) {
    const bool fits = within_memory(from);
    ends_           = ends_with(from);
    Load load       = load_of(from);
    Cuts best       = from;
    // A move relieves one device, and few have to be moved more than once.
    for (size_t move = 0; move < 2 * device_of_.size(); ++move) {
      std::optional<Cuts> better;
      for (const Cuts& moved : moves(best, load)) {
        const Load relieved = load_of(moved);
        if (!relieved.is_below(load) || (fits && !within_memory(moved))) continue;
        load   = relieved;
        better = moved;
      }
      if (!better) break;
      best = std::move(*better);
    }
    return best;
  }

 private:
  // The seconds of the devices over their shares.
  struct Load {
    double slowest = 0, squares = 0;
    std::vector<double> devices = {};

    bool is_below(const Load& other) const {
      if (slowest < other.slowest * (1 - kSameTime)) return true;
      return slowest <= other.slowest && squares < other.squares * (1 - kSameTime);
    }
  };

  bool within_memory(const Cuts& cuts) const { return devices_fit(places_, cuts, limits_, mapping_, size_); }

  Load load_of(const Cuts& cuts) const {
    Load load{.devices = by_device(seconds_between(places_, cuts, limits_), mapping_, size_)};
    for (const double seconds : load.devices) {
      load.slowest = std::max(load.slowest, seconds);
      load.squares += seconds * seconds;
    }
    return load;
  }

  // The quiet places and those of the cuts, but for the last.
  std::vector<int32_t> ends_with(const Cuts& cuts) const {
    std::vector<int32_t> ends = cuts;
    for (const CutPlace& place : quiet_places(places_, device_of_.size())) {
      if (place.op != places_.back().op) ends.push_back(place.op);
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    return ends;
  }

  // All ways in which a stage of the slowest device gives the work between its first or last places to a stage of
  // another device: the stages in between pass on as many places. Layers often have two places.
  std::vector<Cuts> moves(const Cuts& cuts, const Load& load) const {
    std::vector<Cuts> all;
    const auto slowest =
        static_cast<int>(std::max_element(load.devices.begin(), load.devices.end()) - load.devices.begin());
    for (size_t from = 0; from < device_of_.size(); ++from) {
      if (device_of_[from] != slowest) continue;
      for (size_t to = 0; to < device_of_.size(); ++to) {
        const bool is_near = to + 1 >= from && to <= from + 1;
        if (device_of_[to] == slowest || (!is_near && device_of_.size() > kFewStages)) continue;
        for (const ptrdiff_t places : {1, 2}) {
          if (auto moved = with_moved(cuts, from, to, places)) all.push_back(std::move(*moved));
        }
      }
    }
    return all;
  }

  std::optional<Cuts> with_moved(Cuts cuts, size_t from, size_t to, ptrdiff_t by) const {
    for (size_t cut = std::min(from, to); cut < std::max(from, to); ++cut) {
      const auto found    = std::lower_bound(ends_.begin(), ends_.end(), cuts[cut]);
      const ptrdiff_t end = found - ends_.begin() + (to > from ? -by : by);
      if (end < 0 || end >= static_cast<ptrdiff_t>(ends_.size())) return {};
      cuts[cut] = nth(ends_, end);
    }
    // A stage that has given away all that it had is none.
    if (std::adjacent_find(cuts.begin(), cuts.end(), std::greater_equal<>()) != cuts.end()) return {};
    return cuts;
  }

  const std::span<const CutPlace> places_;
  const StageLimits& limits_;
  const schedule::StageMapping mapping_;
  const schedule::Size& size_;
  std::vector<int> device_of_;  // per stage
  std::vector<int32_t> ends_;   // where cuts may be
};

}  // namespace

bool devices_fit(std::span<const CutPlace> places, const Cuts& cuts, const StageLimits& limits,
                 schedule::StageMapping mapping, const schedule::Size& size) {
  if (!limits.has_memory()) return true;
  std::vector<Bytes> memory;
  for (size_t stage = 0; stage <= cuts.size(); ++stage) memory.push_back(limits.memory_of(stage));
  const std::vector<Bytes> needs = by_device(needs_between(places, cuts, limits), mapping, size);
  const std::vector<Bytes> room  = by_device(memory, mapping, size);
  return std::equal(needs.begin(), needs.end(), room.begin(), [](Bytes need, Bytes has) { return need <= has; });
}

Cuts relieved(std::span<const CutPlace> places, const Cuts& from, const StageLimits& limits,
              schedule::StageMapping mapping, const schedule::Size& size) {
  return Relief(places, limits, mapping, size).run(from);
}

}  // namespace foreflow::transform
