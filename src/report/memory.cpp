#include "foreflow/report/memory.h"

#include <algorithm>
#include <map>

#include "foreflow/base/nth.h"
#include "report/memory_curve.h"
#include "report/playback.h"

namespace foreflow::report {
namespace {

using stream::Storage;
using stream::Trail;

// The live buffers of one device while its items are replayed.
class Contents {
 public:
  Contents(const stream::Program& program, int device, const std::vector<size_t>& streams)
      : storage_(*nth(program.devices, device).storage),
        number_(nth(program.devices, device).index),
        trail_(stream::trail(program, device)) {
    alive_.assign(trail_.buffers.size(), 0);
    for (size_t i = 0; i < streams.size() && releasing_ == kNone; ++i)
      releasing_ = program.streams[streams[i]].items.empty() ? kNone : i;
    for (const Trail::Row& row : trail_.rows) {
      for (const Trail::Change& change : row.changes) nth(alive_, change.buffer) += change.made ? 1 : -1;
    }
    left_ = alive_;
    for (size_t i = 0; i < left_.size(); ++i) left_size_ += left_[i] * buffer(i).size;
    alive_.assign(trail_.buffers.size(), 0);
    for (size_t i = 0; i < trail_.initial; ++i) apply_one({static_cast<int32_t>(i), true}, 1);
  }

  void run(const Played& played) {
    if (releases(played)) release(1);
    apply(played, changes_in(played).second);
  }
  // Replays the item up to the moment of its highest memory, and undoes it again.
  void rise(const Played& played) { rise(played, 1); }
  void fall(const Played& played) { rise(played, -1); }

  const ClassBytes& classes() const { return classes_; }

  std::vector<Alive> alive() const {
    std::map<std::pair<int32_t, stream::MemoryClass>, Alive> all;
    for (size_t i = 0; i < alive_.size(); ++i) {
      const Storage::Buffer& one = buffer(i);
      if (alive_[i] == 0 || one.size == Bytes(0)) continue;
      const auto [found, fresh] =
          all.try_emplace({one.name, one.kind}, Alive{storage_.name_of(one, number_), one.kind, Bytes(0), 0});
      found->second.size += alive_[i] * one.size;
      found->second.count += alive_[i];
    }
    std::vector<Alive> sorted;
    for (auto& [key, entry] : all) {
      if (entry.count > 0) sorted.push_back(std::move(entry));
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const Alive& a, const Alive& b) { return a.size > b.size; });
    return sorted;
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  const Storage::Buffer& buffer(size_t number) const { return nth(storage_.buffers, trail_.buffers[number]); }
  Bytes size_of(const Trail::Change& change) const { return buffer(static_cast<size_t>(change.buffer)).size; }

  // A job with several iterations replays its items in each of them.
  std::pair<uint32_t, uint32_t> changes_in(const Played& played) const {
    const Trail::Row& row = trail_.rows[played.stream];
    const size_t item     = played.item % (row.first.size() - 1);
    return {row.first[item], row.first[item + 1]};
  }

  // The first item of a later iteration begins when what the iteration before left is gone (stream::repeated).
  bool releases(const Played& played) const {
    return played.stream == releasing_ && played.item > 0 &&
           played.item % (trail_.rows[played.stream].first.size() - 1) == 0;
  }
  void release(int sign) {
    for (size_t i = 0; i < left_.size(); ++i) count(i, -sign * left_[i]);
  }

  void rise(const Played& played, int sign) {
    const auto [last, most] = fullest(played);
    if (releases(played)) {
      if (most < left_size_) return;  // the level before the item is the peak
      release(sign);
    }
    apply(played, last, sign);
  }

  // The number of changes up to the peak of the item, and the level at that point.
  std::pair<uint32_t, Bytes> fullest(const Played& played) const {
    const auto [first, last] = changes_in(played);
    uint32_t best            = first;
    Bytes level, most;
    for (uint32_t i = first; i < last; ++i) {
      const Trail::Change& change = trail_.rows[played.stream].changes[i];
      level += (change.made ? 1.0 : -1.0) * size_of(change);
      if (level > most) {
        most = level;
        best = i + 1;
      }
    }
    return {best, most};
  }

  void apply(const Played& played, uint32_t last, int sign = 1) {
    for (uint32_t i = changes_in(played).first; i < last; ++i) apply_one(trail_.rows[played.stream].changes[i], sign);
  }

  void apply_one(const Trail::Change& change, int sign) {
    count(static_cast<size_t>(change.buffer), change.made ? sign : -sign);
  }

  void count(size_t number, int change) {
    alive_[number] += change;
    nth(classes_, buffer(number).kind) += change * buffer(number).size;
  }

  const Storage& storage_;
  const int32_t number_;  // of the device
  const Trail trail_;
  size_t releasing_ = kNone;  // the first stream that has items
  std::vector<int> alive_;    // per buffer of the trail
  std::vector<int> left_;     // per buffer: number left over by an iteration
  Bytes left_size_;
  ClassBytes classes_{};
};

// When the level is another one after `time`.
Seconds next_change(const MemoryCurve& curve, Seconds time, Seconds end) {
  const auto next = std::find_if(curve.points.begin(), curve.points.end(),
                                 [&](const MemoryPoint& point) { return point.time > time; });
  return next == curve.points.end() ? end : next->time;
}

MemoryPeak peak_of(const stream::Program& program, const stream::Timeline& timeline, const std::vector<size_t>& streams,
                   int device, const MemoryCurve& curve) {
  Contents contents(program, device, streams);
  for (size_t s = 0; s < streams.size(); ++s) {
    for (size_t item = 0; item < curve.at_peak[s].ended; ++item) contents.run({s, item});
    if (curve.at_peak[s].running) contents.rise({s, curve.at_peak[s].ended});
  }
  const auto in_all = [&](Seconds time) {
    return timeline.left_out.empty() ? time : nth(timeline.left_out, device).in_all(time);
  };
  return {.devices = {device},
          .time    = in_all(curve.time),
          .size    = curve.peak,
          .classes = contents.classes(),
          .alive   = contents.alive(),
          .until   = in_all(next_change(curve, curve.time, timeline.makespan))};
}

bool same_item(const stream::Item& x, const stream::Item& y) {
  return x.event == y.event && x.memory == y.memory && (x.instance < 0) == (y.instance < 0);
}

// True if the devices run the same items, though perhaps other numbers of rounds of a loop: then what comes first and
// what comes last in the longer stream is all of the shorter one.
bool same_items(const stream::Program& program, const std::vector<size_t>& a, const std::vector<size_t>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](size_t left, size_t right) {
    const auto &first = program.streams[left].items, &second = program.streams[right].items;
    const auto front = std::mismatch(first.begin(), first.end(), second.begin(), second.end(), same_item);
    if (front.first == first.end() && front.second == second.end()) return true;
    if (first.size() == second.size()) return false;
    const auto back = std::mismatch(first.rbegin(), first.rend(), second.rbegin(), second.rend(), same_item);
    const auto same = (front.first - first.begin()) + (back.first - first.rbegin());
    return same >= static_cast<std::ptrdiff_t>(std::min(first.size(), second.size()));
  });
}

}  // namespace

std::vector<MemoryPeak> memory_peaks(const Summary& summary, const stream::Program& program,
                                     const stream::Timeline& timeline, PeaksOf which) {
  const auto streams = streams_by_device(program);
  Bytes least(0);
  for (const DeviceSummary& device : summary.devices)
    least = which == PeaksOf::fullest ? std::max(least, device.peak_memory) : least;
  std::vector<MemoryPeak> peaks;
  std::multimap<double, size_t> by_size;  // of the peak -> index into `peaks`
  for (size_t d = 0; d < program.devices.size(); ++d) {
    if (program.devices[d].storage == nullptr) return {};
    if (summary.devices[d].peak_memory < least) continue;
    const auto device       = static_cast<int>(d);
    const MemoryCurve curve = memory_curve(program, timeline, device, streams[d]);
    const auto [from, to]   = by_size.equal_range(curve.peak.value());
    const auto same         = std::find_if(from, to, [&](const auto& entry) {
      const auto other = static_cast<size_t>(peaks[entry.second].devices[0]);
      return program.devices[other].initial == program.devices[d].initial &&
             same_items(program, streams[other], streams[d]);
    });
    if (same != to) {
      peaks[same->second].devices.push_back(device);
      continue;
    }
    MemoryPeak peak = peak_of(program, timeline, streams[d], device, curve);
    peak.host       = host_peak(program, timeline, device);
    if (summary.job.allocator == "caching")
      peak.allocator = replay_allocations(program, timeline, device, summary.devices[d].capacity);
    by_size.emplace(curve.peak.value(), peaks.size());
    peaks.push_back(std::move(peak));
  }
  return peaks;
}

std::vector<ClassPoint> memory_by_class(const stream::Program& program, const stream::Timeline& timeline, int device) {
  const std::vector<size_t> streams = nth(streams_by_device(program), device);
  Contents contents(program, device, streams);
  std::vector<ClassPoint> points{{Seconds(0), contents.classes()}};
  const auto note = [&](Seconds time) {
    if (points.back().time == time) {
      points.back().classes = contents.classes();
    } else if (points.back().classes != contents.classes()) {
      points.push_back({time, contents.classes()});
    }
  };
  play(
      timeline, streams,
      [&](const Played& played, Seconds time) {
        contents.rise(played);
        note(time);
      },
      [&](const Played& played, Seconds time) {
        contents.fall(played);
        contents.run(played);
        note(time);
      });
  return points;
}

}  // namespace foreflow::report
