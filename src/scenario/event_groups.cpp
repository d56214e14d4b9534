#include "scenario/event_groups.h"

namespace foreflow::scenario {

int Ranks::rank(int32_t number) const {
  const int32_t at = number - first;
  return shards > 0 ? at / 2 * shards + at % 2 : at;
}

int Ranks::represented(int32_t number) const { return shards > 0 && (number - first) % 2 == 1 ? shards - 1 : 1; }

std::vector<int> group_of(const Ranks& ranks, const std::vector<int32_t>& members, bool of_all_replicas,
                          bool of_all_shards) {
  std::vector<int> devices;
  for (int replica = 0; replica < (of_all_replicas ? ranks.replicas : 1); ++replica) {
    for (const int32_t member : members) {
      const int represented = of_all_shards ? ranks.represented(member) : 1;
      for (int i = 0; i < represented; ++i) devices.push_back(ranks.place(replica, ranks.rank(member) + i));
    }
  }
  return devices;
}

Seconds time_alone(const stream::Communication& what, const std::vector<int>& devices,
                   const platform::Platform& platform) {
  if (what.fixed) return *what.fixed;
  stream::Program program;
  program.communications = {what};
  program.memory_effects = {{Bytes(0), Bytes(0)}};
  std::vector<int32_t> members;
  for (const int device : devices) {
    const auto number = static_cast<int>(members.size());
    members.push_back(number);
    program.devices.push_back({number + 1, device, Bytes(0)});
    program.streams.push_back({"D" + std::to_string(number + 1), number, {{0, 0, 0}}});
  }
  program.instances = {{0, std::move(members)}};
  return simulate::engines().get("analytic", "events").run(program, platform).makespan;
}

}  // namespace foreflow::scenario
