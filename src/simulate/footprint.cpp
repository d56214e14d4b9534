#include "simulate/footprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "foreflow/base/error.h"

namespace foreflow::simulate {
namespace {

// The largest number of which both are multiples. Shares are ratios of small integers, so that what is left of one
// after subtracting the other is either far above the rounding error or zero.
double common_unit(double a, double b) {
  constexpr double rounding = 1e-9;
  while (b > rounding) {
    const double rest = std::abs(a - std::round(a / b) * b);
    a                 = b;
    b                 = rest;
  }
  return a;
}

const platform::Route& route(const platform::Platform& platform, int from, int to, const std::string& where) {
  const platform::Route& found = platform.route(from, to);
  if (found.links.empty()) {
    const auto& devices = platform.devices();
    throw Error(where, fmt::format("platform {} has no route from {} to {}; add one", platform.name(),
                                   devices[static_cast<size_t>(from)].name, devices[static_cast<size_t>(to)].name));
  }
  return found;
}

// `places[rank]` is a platform device. Messages between streams of one device cost nothing.
Footprint footprint(const stream::Communication& communication, const std::vector<int>& places,
                    const platform::Platform& platform) {
  Footprint result{communication.fixed, Seconds(0), communication.bytes, 0, {}};
  if (communication.fixed >= Seconds(0)) return result;

  const auto plan = communication.algorithm->flows(communication.kind, static_cast<int>(places.size()));
  std::map<int, double> weights;
  Seconds latency(0), all_hops(0), slowest_hop(0);  // hops: what `bytes` take over one flow alone
  for (const collective::Flow& flow : plan.flows) {
    const int from = places[static_cast<size_t>(flow.from)], to = places[static_cast<size_t>(flow.to)];
    if (from == to) continue;
    const platform::Route& path = route(platform, from, to, communication.name);
    latency                     = std::max(latency, path.latency);
    result.unit                 = common_unit(flow.share, result.unit);
    Seconds hop(0);
    for (const int link : path.links) {
      weights[link] += flow.share;
      hop = std::max(hop, communication.bytes / platform.links()[static_cast<size_t>(link)].bandwidth);
    }
    all_hops += hop;
    slowest_hop = std::max(slowest_hop, hop);
  }
  result.delay = plan.latency_steps * latency + plan.head * (all_hops - slowest_hop);
  for (const auto& [link, weight] : weights) {
    result.crossings.push_back({link, weight});
    result.transfer =
        std::max(result.transfer, weight * communication.bytes / platform.links()[static_cast<size_t>(link)].bandwidth);
  }
  return result;
}

// Finds the footprint of (communication, members) that was made before.
class Cache {
 public:
  // Index of the footprint; `make` appends it when it is new.
  template <class Make>
  int32_t find_or(int32_t communication, const std::vector<int32_t>& members, const Make& make) {
    size_t hash = static_cast<size_t>(communication);
    for (const int32_t member : members) hash = hash * 1'000'003 + static_cast<size_t>(member);
    std::vector<Entry>& bucket = buckets_[hash];
    for (const Entry& entry : bucket) {
      if (entry.communication == communication && *entry.members == members) return entry.footprint;
    }
    return bucket.emplace_back(Entry{communication, &members, make()}).footprint;
  }

 private:
  struct Entry {
    int32_t communication;
    const std::vector<int32_t>* members;  // those of the first instance
    int32_t footprint;
  };
  std::unordered_map<size_t, std::vector<Entry>> buckets_;
};

}  // namespace

Footprints footprints(const stream::Program& program, const platform::Platform& platform) {
  std::vector<int> place_of_stream;
  for (const stream::Stream& stream : program.streams) {
    place_of_stream.push_back(program.devices.at(static_cast<size_t>(stream.device)).place);
  }
  Footprints result;
  result.of_instance.reserve(program.instances.size());
  Cache cache;
  for (const stream::Instance& instance : program.instances) {
    result.of_instance.push_back(cache.find_or(instance.communication, instance.members, [&] {
      std::vector<int> places;
      for (const int32_t member : instance.members) places.push_back(place_of_stream[static_cast<size_t>(member)]);
      const auto& communication = program.communications[static_cast<size_t>(instance.communication)];
      result.distinct.push_back(footprint(communication, places, platform));
      return static_cast<int32_t>(result.distinct.size() - 1);
    }));
  }
  return result;
}

std::vector<std::vector<stream::Crossing>> loads(const Footprints& footprints) {
  std::vector<std::vector<stream::Crossing>> result;
  for (const Footprint& footprint : footprints.distinct) result.push_back(footprint.crossings);
  return result;
}

}  // namespace foreflow::simulate
