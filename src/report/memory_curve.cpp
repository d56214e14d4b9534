#include "report/memory_curve.h"

#include "foreflow/base/nth.h"
#include "report/playback.h"

namespace foreflow::report {

std::vector<std::vector<size_t>> streams_by_device(const stream::Program& program) {
  std::vector<std::vector<size_t>> streams(program.devices.size());
  for (size_t s = 0; s < program.streams.size(); ++s) nth(streams, program.streams[s].device).push_back(s);
  return streams;
}

MemoryCurve memory_curve(const stream::Program& program, const stream::Timeline& timeline, int device,
                         const std::vector<size_t>& streams) {
  MemoryCurve curve;
  Bytes level = nth(program.devices, device).initial, workspace;
  std::vector<Progress> progress(streams.size());
  const auto note = [&](Seconds time) {
    const Bytes now = level + workspace;
    if (now > curve.peak || curve.points.empty()) {
      curve.peak    = now;
      curve.time    = time;
      curve.at_peak = progress;
    }
    if (!curve.points.empty() && curve.points.back().time == time) {
      curve.points.back().level = now;
    } else if (curve.points.empty() || curve.points.back().level != now) {
      curve.points.push_back({time, now});
    }
  };
  const auto effect = [&](const Played& played) {
    const stream::Item& item = program.streams[streams[played.stream]].items[played.item];
    return nth(program.memory_effects, item.memory);
  };
  note(Seconds(0));
  play(
      timeline, streams,
      [&](const Played& played, Seconds time) {
        progress[played.stream].running = true;
        workspace += effect(played).peak;
        note(time);
      },
      [&](const Played& played, Seconds time) {
        progress[played.stream] = {played.item + 1, false};
        workspace -= effect(played).peak;
        level += effect(played).net;
        note(time);
      });
  return curve;
}

}  // namespace foreflow::report
