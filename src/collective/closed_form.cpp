// Time without a simulation: what the steps' latencies add up to, and the bytes at the busiest port.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "collective/all_pairs.h"
#include "collective/layout.h"

namespace foreflow::collective {
namespace {

// The NIC of each rank and relay, numbered by first appearance.
std::vector<int> nics(const Group& group) {
  std::map<std::pair<int, int>, int> numbers;
  std::vector<int> result;
  for (int rank = 0; rank < group.ranks + group.relays; ++rank) {
    const int rail = group.rail.empty() ? rank : group.rail[static_cast<size_t>(rank)];
    result.push_back(
        numbers.emplace(std::pair(node_of(group, rank), rail), static_cast<int>(numbers.size())).first->second);
  }
  return result;
}

// The busiest of ports in one direction, as shares of the bytes.
class Ports {
 public:
  explicit Ports(size_t count) : load_(count) {}
  void add(int port, double share) { busiest_ = std::max(busiest_, load_[static_cast<size_t>(port)] += share); }
  double busiest() const { return busiest_; }

 private:
  std::vector<double> load_;
  double busiest_ = 0;
};

// How much of its port a rank can use towards another one. All of it through a switch; where the rings of a node have
// links of their own (a mesh), those of the rings that pass between the two. Where none does, messages take detours,
// which have as much as one ring at best.
class Lanes {
 public:
  explicit Lanes(const Group& group) : rings_(group.rings.size()) {
    const bool one_node = !group.node.empty() && *std::max_element(group.node.begin(), group.node.end()) == 0;
    if (rings_ <= 1 || !one_node) return;
    for (const std::vector<int>& ring : group.rings) {
      for (size_t i = 0; i < ring.size(); ++i) ++passing_[{ring[i], ring[(i + 1) % ring.size()]}];
    }
  }

  // Zero: a detour.
  double part(int from, int to) const {
    if (switched()) return 1;
    const auto found = passing_.find({from, to});
    return found == passing_.end() ? 0 : found->second / static_cast<double>(rings_);
  }
  double detour() const { return 1 / static_cast<double>(rings_); }
  // No mesh: all of every port, whoever is asked for.
  bool switched() const { return passing_.empty(); }

 private:
  size_t rings_;
  std::map<std::pair<int, int>, int> passing_;
};

Seconds transfer(const Phase& phase, const Task& task, const std::vector<int>& nic, const Lanes& lanes) {
  Ports near_out(nic.size()), near_in(nic.size()), far_out(nic.size()), far_in(nic.size()), detours(nic.size());
  double lane = 0;                 // the busiest way from a rank to another, in shares of a port
  Seconds filling(0), slowest(0);  // what the head takes on all flows, and on the slowest
  for (const Flow& flow : phase.flows) {
    const bool far = is_far(task.group, flow.from, flow.to);
    if (far) {
      far_out.add(nic[static_cast<size_t>(flow.from)], flow.share);
      far_in.add(nic[static_cast<size_t>(flow.to)], flow.share);
    } else {
      near_out.add(flow.from, flow.share);
      near_in.add(flow.to, flow.share);
      const double part = lanes.part(flow.from, flow.to);
      if (part > 0) lane = std::max(lane, flow.share / part);
      if (part == 0) detours.add(flow.from, flow.share);
    }
    const Seconds hop = phase.head * task.bytes / (far ? task.far : task.near).bandwidth;
    filling += hop;
    slowest = std::max(slowest, hop);
  }
  if (detours.busiest() > 0) lane = std::max(lane, detours.busiest() / lanes.detour());
  return filling - slowest +
         std::max(std::max({near_out.busiest(), near_in.busiest(), lane}) * task.bytes / task.near.bandwidth,
                  std::max(far_out.busiest(), far_in.busiest()) * task.bytes / task.far.bandwidth);
}

// So many equal shares, added up one by one as ports do.
double added_up(double share, int64_t times) {
  double sum = 0;
  for (int64_t i = 0; i < times; ++i) sum += share;
  return sum;
}

// What the flows between all pairs take at the busiest ports, through switches: counted, not listed.
Seconds transfer(const AllPairs& pairs, const Task& task, const std::vector<int>& nic) {
  const auto members = nodes(task.group);
  std::vector<int64_t> leaving(nic.size(), 0);  // by NIC: messages; as many come in
  int64_t inside = 0, outside = 0;              // at the busiest ports
  for (const auto& node : members) {
    inside = std::max(inside, static_cast<int64_t>(node.size()) - 1);
    for (const int rank : node) {
      int64_t& sum = leaving[static_cast<size_t>(nic[static_cast<size_t>(rank)])];
      sum += task.group.ranks - static_cast<int64_t>(node.size());
      outside = std::max(outside, sum);
    }
  }
  return std::max(added_up(pairs.share, inside) * task.bytes / task.near.bandwidth,
                  added_up(pairs.share, outside) * task.bytes / task.far.bandwidth);
}

}  // namespace

Cost closed_form(const AlgorithmDef& algorithm, const Task& task) {
  Cost cost{Seconds(0), Seconds(0)};
  const std::vector<int> nic = nics(task.group);
  const Lanes lanes(task.group);
  if (const auto pairs = all_pairs(algorithm, task); pairs && lanes.switched()) {
    cost.latency  = pairs->near_steps * task.near.latency + pairs->far_steps * task.far.latency;
    cost.transfer = transfer(*pairs, task, nic);
    return cost;
  }
  for (const Phase& phase : algorithm.flows(task).phases) {
    cost.latency += phase.near_steps * task.near.latency + phase.far_steps * task.far.latency;
    cost.transfer += transfer(phase, task, nic, lanes);
  }
  return cost;
}

}  // namespace foreflow::collective
