#include "report/memory_curve.h"

#include <algorithm>
#include <tuple>

namespace foreflow::report {
namespace {

struct Running {
  Seconds end;
  stream::MemoryEffect effect;
};

// Follows the level while items start and end in time order.
class Level {
 public:
  explicit Level(Bytes initial) : level_(initial) { note(Seconds(0)); }

  void start(const stream::Record& record, const stream::MemoryEffect& effect) {
    end_until(record.start);
    running_.push_back({record.end, effect});
    workspace_ += effect.peak;
    note(record.start);
  }

  // Ends what ends no later than `time`, the earliest first.
  void end_until(Seconds time) {
    while (!running_.empty()) {
      const auto first = std::min_element(running_.begin(), running_.end(),
                                          [](const Running& a, const Running& b) { return a.end < b.end; });
      if (first->end > time) return;
      const Running ended = *first;
      running_.erase(first);
      workspace_ -= ended.effect.peak;
      level_ += ended.effect.net;
      note(ended.end);
    }
  }

  MemoryCurve take() { return std::move(curve_); }

 private:
  void note(Seconds time) {
    const Bytes now = level_ + workspace_;
    curve_.peak     = std::max(curve_.peak, now);
    if (!curve_.points.empty() && curve_.points.back().time == time) {
      curve_.points.back().level = now;
    } else if (curve_.points.empty() || curve_.points.back().level != now) {
      curve_.points.push_back({time, now});
    }
  }

  Bytes level_;
  Bytes workspace_;
  std::vector<Running> running_;  // at most one a stream
  MemoryCurve curve_;
};

}  // namespace

std::vector<std::vector<size_t>> streams_by_device(const stream::Program& program) {
  std::vector<std::vector<size_t>> streams(program.devices.size());
  for (size_t s = 0; s < program.streams.size(); ++s)
    streams[static_cast<size_t>(program.streams[s].device)].push_back(s);
  return streams;
}

MemoryCurve memory_curve(const stream::Program& program, const stream::Timeline& timeline, int device,
                         const std::vector<size_t>& streams) {
  std::vector<size_t> next(streams.size(), 0);
  Level level(program.devices[static_cast<size_t>(device)].initial);
  while (true) {
    // The stream whose next item starts first; of several the lowest.
    const stream::Record* earliest = nullptr;
    size_t chosen                  = 0;
    for (size_t i = 0; i < streams.size(); ++i) {
      if (next[i] == program.streams[streams[i]].items.size()) continue;
      const stream::Record& record = timeline.records[streams[i]][next[i]];
      if (earliest != nullptr && std::tie(earliest->start, earliest->end) <= std::tie(record.start, record.end))
        continue;
      earliest = &record;
      chosen   = i;
    }
    if (earliest == nullptr) break;
    const stream::Item& item = program.streams[streams[chosen]].items[next[chosen]++];
    level.start(*earliest, program.memory_effects[static_cast<size_t>(item.memory)]);
  }
  level.end_until(timeline.makespan);
  return level.take();
}

}  // namespace foreflow::report
