#include "report/device_times.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "report/lost_time.h"
#include "report/playback.h"

namespace foreflow::report {
namespace {

// Length of the union of intervals that come in the order of their start.
class Covered {
 public:
  void add(const stream::Record& interval) {
    if (interval.start > end_) {
      sum_ += end_ - start_;
      start_ = interval.start;
      end_   = interval.end;
    } else {
      end_ = std::max(end_, interval.end);
    }
  }
  Seconds length() const { return sum_ + (end_ - start_); }

 private:
  Seconds sum_, start_, end_;  // of what has ended, and the interval that may grow
};

// One pass over the items.
DeviceTimes times_of(const stream::Program& program, const stream::Timeline& timeline, Bytes initial,
                     const std::vector<size_t>& streams) {
  Covered compute, communication, busy;
  Bytes level = initial, peak = initial, workspace;
  const auto item   = [&](const Played& played) { return program.streams[streams[played.stream]].items[played.item]; };
  const auto effect = [&](const Played& played) { return nth(program.memory_effects, item(played).memory); };
  const auto note   = [&] { peak = std::max(peak, level + workspace); };
  play(
      timeline, streams,
      [&](const Played& played, Seconds) {
        const size_t stream          = streams[played.stream];
        const stream::Record& record = timeline.records[stream][played.item];
        const size_t whose           = whose_time(program, timeline, stream, played.item);
        (program.streams[stream].items[whose].instance < 0 ? compute : communication).add(record);
        busy.add(record);
        workspace += effect(played).peak;
        note();
      },
      [&](const Played& played, Seconds) {
        workspace -= effect(played).peak;
        level += effect(played).net;
        note();
      });
  return {compute.length(), communication.length(), busy.length(), peak};
}

}  // namespace

bool DevicePlayer::same_course(const std::vector<size_t>& a, const std::vector<size_t>& b) const {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](size_t left, size_t right) {
    const auto &items = program_.streams[left].items, &others = program_.streams[right].items;
    const auto &records = timeline_.records[left], &times = timeline_.records[right];
    const auto same_work = [](const stream::Item& x, const stream::Item& y) {
      return x.memory == y.memory && (x.instance < 0) == (y.instance < 0);
    };
    const auto same_time = [](const stream::Record& x, const stream::Record& y) {
      return x.start == y.start && x.end == y.end;
    };
    return std::equal(items.begin(), items.end(), others.begin(), others.end(), same_work) &&
           std::equal(records.begin(), records.end(), times.begin(), times.end(), same_time);
  });
}

DeviceTimes DevicePlayer::play(int device, const std::vector<size_t>& streams) {
  const Bytes initial = nth(program_.devices, device).initial;
  size_t items        = 0;
  Seconds end, middle;
  for (const size_t s : streams) {
    const std::vector<stream::Record>& records = timeline_.records[s];
    items += records.size();
    if (records.empty()) continue;
    end = std::max(end, records.back().end);
    middle += records[records.size() / 2].start;
  }
  const Key key{initial.value(), items, end.value(), middle.value()};
  const auto [first, last] = known_.equal_range(key);
  const auto found =
      std::find_if(first, last, [&](const auto& entry) { return same_course(entry.second.streams, streams); });
  if (found != last) return found->second.times;
  return known_.emplace(key, Known{streams, times_of(program_, timeline_, initial, streams)})->second.times;
}

}  // namespace foreflow::report
