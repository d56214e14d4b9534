#include "simulate/replay.h"

#include <algorithm>

#include "foreflow/base/error.h"

namespace foreflow::simulate {
namespace {

using stream::Item;
using stream::Record;

// A stream and its clock: how far it has got.
struct Player {
  const std::vector<Item>* items;
  std::vector<Record>* records;
  Seconds clock{0};

  // Runs the computes up to the next communication or the end of the stream.
  void compute(const std::vector<Seconds>& durations) {
    for (size_t next = records->size(); next < items->size() && (*items)[next].instance < 0; ++next) {
      const Seconds end = clock + durations[static_cast<size_t>((*items)[next].event)];
      records->push_back({clock, end});
      clock = end;
    }
  }

  bool is_at(size_t instance) const {
    return records->size() < items->size() && (*items)[records->size()].instance == static_cast<int32_t>(instance);
  }
};

}  // namespace

stream::Timeline replay(const stream::Program& program, const std::function<Seconds(size_t, Seconds)>& end) {
  stream::Timeline timeline{Seconds(0), std::vector<std::vector<Record>>(program.streams.size()), {}};
  std::vector<Seconds> durations;
  durations.reserve(program.computes.size());
  for (const stream::Compute& compute : program.computes) durations.push_back(compute.duration);
  std::vector<Player> players;
  players.reserve(program.streams.size());
  for (size_t i = 0; i < program.streams.size(); ++i) {
    const auto& items = program.streams[i].items;
    timeline.records[i].reserve(items.size());
    players.push_back({&items, &timeline.records[i]});
  }

  for (size_t i = 0; i < program.instances.size(); ++i) {
    const auto& members = program.instances[i].members;
    Seconds start(0);
    for (const int32_t member : members) {
      Player& player = players[static_cast<size_t>(member)];
      player.compute(durations);
      FOREFLOW_CHECK(player.is_at(i), "a stream does not list its communications in the order of their instances");
      start = std::max(start, player.clock);
    }
    const Seconds finish = end(i, start);
    for (const int32_t member : members) {
      Player& player = players[static_cast<size_t>(member)];
      player.records->push_back({start, finish});
      player.clock = finish;
    }
  }
  for (Player& player : players) {
    player.compute(durations);
    timeline.makespan = std::max(timeline.makespan, player.clock);
  }
  return timeline;
}

}  // namespace foreflow::simulate
