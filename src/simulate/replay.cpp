#include "simulate/replay.h"

#include "simulate/players.h"

namespace foreflow::simulate {

stream::Timeline replay(const stream::Program& program, const ComputeTimes& times,
                        const std::function<Seconds(size_t, Seconds)>& end) {
  stream::Timeline timeline{Seconds(0), {}, {}};
  const Cast cast = everybody(program);
  Players players(program, cast, times, &timeline.records);
  players.play([&](int32_t instance, double start) { return end(static_cast<size_t>(instance), Seconds(start)).value(); });
  if (!players.finished()) players.refuse_stuck();
  timeline.makespan = Seconds(players.latest());
  return timeline;
}

}  // namespace foreflow::simulate
