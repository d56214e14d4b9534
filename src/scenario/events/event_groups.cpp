#include "scenario/events/event_groups.h"

#include <algorithm>

namespace foreflow::scenario {

std::vector<int> group_of(const Ranks& ranks, const std::vector<int32_t>& members, const Together& together) {
  const ir::WrittenDevices& written = ranks.written;
  // The members of one rank follow each other, and so do those of every rank that it represents.
  std::vector<int> of_replica;
  for (auto begin = members.begin(); begin != members.end();) {
    const auto rank_of = [&](int32_t member) { return (member - ranks.first) / written.of_rank; };
    const auto end     = std::find_if(
            begin, members.end(), [&](int32_t member) { return !together.ranks || rank_of(member) != rank_of(*begin); });
    const auto last  = together.ranks ? end : begin + 1;
    const bool first = written.is_first_rank(*begin - ranks.first);
    for (int rank = 0; rank < (together.ranks && !first ? written.ranks - 1 : 1); ++rank) {
      for (auto member = begin; member != last; ++member) {
        const int shards = together.shards && !written.is_first_shard(*member - ranks.first) ? written.shards - 1 : 1;
        for (int shard = 0; shard < shards; ++shard)
          of_replica.push_back(ranks.rank(*member) + rank * written.devices_of_rank() + shard);
      }
    }
    begin = last;
  }
  std::vector<int> devices;
  for (int replica = 0; replica < (together.replicas ? ranks.replicas : 1); ++replica) {
    for (const int rank : of_replica) devices.push_back(ranks.place(replica, rank));
  }
  return devices;
}

int count_of(const Ranks& ranks, const std::vector<int32_t>& members, const Together& together) {
  const ir::WrittenDevices& written = ranks.written;
  const int32_t at                  = members.front() - ranks.first;
  const int shards                  = together.shards || written.is_first_shard(at) ? 1 : written.shards - 1;
  return shards * (together.ranks || written.is_first_rank(at) ? 1 : written.ranks - 1);
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
