// Time without a simulation: what the steps' latencies add up to, and the bytes at the busiest port or link.
#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "collective/all_pairs.h"
#include "collective/layout.h"
#include "foreflow/base/nth.h"

namespace foreflow::collective {
namespace {

// The NIC of each rank and relay, numbered by first appearance.
std::vector<int> nics(const Group& group) {
  std::map<std::pair<int, int>, int> numbers;
  std::vector<int> result;
  for (int rank = 0; rank < group.ranks + group.relays; ++rank) {
    const int rail = group.rail.empty() ? rank : nth(group.rail, rank);
    result.push_back(
        numbers.emplace(std::pair(node_of(group, rank), rail), static_cast<int>(numbers.size())).first->second);
  }
  return result;
}

// A port into the node for each rank and one out of it for each NIC, each way.
Network ports(const Task& task) {
  const std::vector<int> nic = nics(task.group);
  const auto ranks           = static_cast<int>(nic.size());
  Network network;
  network.bandwidth = [&task, ranks](int line) { return (line < 2 * ranks ? task.near : task.far).bandwidth; };
  network.way       = [&task, nic, ranks](int from, int to, std::vector<int>& crossed) {
    const bool far = is_far(task.group, from, to);
    if (far) {
      crossed = {2 * ranks + nth(nic, from), 3 * ranks + nth(nic, to)};
    } else {
      crossed = {from, ranks + to};
    }
    return far ? task.far.latency : task.near.latency;
  };
  return network;
}

// The sum of `count` equal shares, added one by one as a port adds them.
double added_up(double share, int64_t times) {
  double sum = 0;
  for (int64_t i = 0; i < times; ++i) sum += share;
  return sum;
}

// Time of flows between all pairs at the busiest ports, through switches. The flows are counted rather than listed.
Seconds transfer(const AllPairs& pairs, const Task& task, const std::vector<int>& nic) {
  const auto members = nodes(task.group);
  std::vector<int64_t> leaving(nic.size(), 0);  // by NIC: messages; as many come in
  int64_t inside = 0, outside = 0;              // at the busiest ports
  for (const auto& node : members) {
    inside = std::max(inside, static_cast<int64_t>(node.size()) - 1);
    for (const int rank : node) {
      int64_t& sum = nth(leaving, nth(nic, rank));
      sum += task.group.ranks - static_cast<int64_t>(node.size());
      outside = std::max(outside, sum);
    }
  }
  return std::max(added_up(pairs.share, inside) * task.bytes / task.near.bandwidth,
                  added_up(pairs.share, outside) * task.bytes / task.far.bandwidth);
}

// Total time of consecutive phases.
class Meter {
 public:
  Meter(const Task& task, const Network& network) : task_(task), network_(network) {}

  Cost measure(const Phase& phase) {
    Seconds near(0), far(0);         // the longest latencies
    Seconds filling(0), slowest(0);  // what the head takes on all flows, and on the slowest
    load_.clear();
    for (const Flow& flow : phase.flows) {
      Seconds& longest = is_far(task_.group, flow.from, flow.to) ? far : near;
      longest          = std::max(longest, network_.way(flow.from, flow.to, crossed_));
      Seconds hop(0);
      for (const int line : crossed_) {
        add(line, flow.share);
        hop = std::max(hop, phase.head * task_.bytes / bandwidth(line));
      }
      filling += hop;
      slowest = std::max(slowest, hop);
    }
    Seconds busiest(0);
    for (const auto& [line, load] : load_) busiest = std::max(busiest, load * task_.bytes / bandwidth(line));
    return {phase.near_steps * (phase.near_latency * near) + phase.far_steps * (phase.far_latency * far),
            filling - slowest + std::max(busiest, phase.least)};
  }

 private:
  BytesPerSecond bandwidth(int line) const { return network_.bandwidth(line); }
  // Adds a share of the bytes to the load of a line. The load of a fat line is its largest message, as often as that
  // message crosses the line.
  void add(int line, double share) {
    double& load = load_[line];
    if (!network_.fat || !network_.fat(line)) {
      load += share;
    } else {
      load = std::max(load, share * static_cast<double>(std::count(crossed_.begin(), crossed_.end(), line)));
    }
  }

  const Task& task_;
  const Network& network_;
  // The load of each line that flows cross, as a share of the bytes. A map, because a group of eight devices crosses
  // few lines of a large platform.
  std::unordered_map<int, double> load_;
  std::vector<int> crossed_;
};

}  // namespace

Cost closed_form(const AlgorithmDef& algorithm, const Task& task, const Network& network) {
  const FlowPlan plan = algorithm.flows(task);
  Cost cost{plan.start, Seconds(0)};
  Meter meter(task, network);
  for (const Phase& phase : plan.phases) {
    const Cost one = meter.measure(phase);
    cost.latency += one.latency;
    cost.transfer += one.transfer;
  }
  return cost;
}

Cost closed_form(const AlgorithmDef& algorithm, const Task& task) {
  if (const auto pairs = all_pairs(algorithm, task))
    return {pairs->near_steps * task.near.latency + pairs->far_steps * task.far.latency,
            transfer(*pairs, task, nics(task.group))};
  return closed_form(algorithm, task, ports(task));
}

}  // namespace foreflow::collective
