#include "simulate/footprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "foreflow/base/error.h"
#include "foreflow/platform/host_routes.h"
#include "foreflow/stream/host_copy.h"
#include "foreflow/stream/task.h"

namespace foreflow::simulate {
namespace footprint_parts {

// The largest number of which both are multiples. Shares are ratios of small integers, so that what is left of one
// after subtracting the other is either far above the rounding error or zero.
double common_unit(double a, double b) {
  constexpr double kRounding = 1e-9;
  while (b > kRounding) {
    const double rest = std::abs(a - std::round(a / b) * b);
    a                 = b;
    b                 = rest;
  }
  return a;
}

// Sums of what crosses each link.
class Tally {
 public:
  explicit Tally(size_t links) : weights_(links, 0) {}

  void add(int link, double weight) {
    double& sum = weights_[static_cast<size_t>(link)];
    if (sum == 0) touched_.push_back(link);
    sum += weight;
  }
  // What was added since the last time.
  std::vector<stream::Crossing> take() {
    std::vector<stream::Crossing> result;
    result.reserve(touched_.size());
    const auto move = [&](int link) {
      result.push_back({link, std::exchange(weights_[static_cast<size_t>(link)], 0)});
    };
    if (touched_.size() > weights_.size() / kSparse) {  // looking at all is quicker than sorting these
      for (size_t link = 0; link < weights_.size(); ++link) {
        if (weights_[link] != 0) move(static_cast<int>(link));
      }
    } else {
      std::sort(touched_.begin(), touched_.end());
      for (const int link : touched_) move(link);
    }
    touched_.clear();
    return result;
  }

 private:
  static constexpr size_t kSparse = 16;
  std::vector<double> weights_;
  std::vector<int> touched_;
};

// Finds what was seen before by its hash; the caller compares.
class Seen {
 public:
  // The number for which `same` holds, else that which `make` returns.
  template <class Same, class Make>
  int32_t find_or(size_t hash, const Same& same, const Make& make) {
    std::vector<int32_t>& bucket = buckets_[hash];
    for (const int32_t number : bucket) {
      if (same(number)) return number;
    }
    const int32_t made = make();
    bucket.push_back(made);
    return made;
  }

 private:
  std::unordered_map<size_t, std::vector<int32_t>> buckets_;
};

size_t combine_hash(size_t hash, size_t more) { return (hash ^ more) * 0x9e3779b97f4a7c15u; }

// Whether all messages over links of the same kinds are equally fast.
class Evenness {
 public:
  explicit Evenness(const platform::Platform& platform) {
    std::vector<std::string_view> known;  // a few
    kinds_.reserve(platform.links().size());
    size_t number = 0;
    for (size_t i = 0; i < platform.links().size(); ++i) {
      const platform::Link& link = platform.links().like(i);
      if (number >= known.size() || known[number] != link.kind) {
        number = static_cast<size_t>(std::find(known.begin(), known.end(), link.kind) - known.begin());
        if (number == known.size()) known.emplace_back(link.kind);
      }
      kinds_.push_back(combine_hash(0, number + 1));
    }
  }

  void see(const std::vector<int>& links, Seconds hop) {
    size_t kinds = 0;
    for (const int link : links) kinds += kinds_[static_cast<size_t>(link)];  // in any order
    for (const auto& [known, seconds] : seen_) {
      if (known != kinds) continue;
      constexpr double kRounding = 1e-9;
      uneven_ |= std::abs((hop - seconds).value()) > kRounding * hop.value();
      return;
    }
    seen_.emplace_back(kinds, hop);
  }
  // What was seen since the last time.
  bool take_uneven() {
    seen_.clear();
    return std::exchange(uneven_, false);
  }

 private:
  std::vector<size_t> kinds_;                     // of each link
  std::vector<std::pair<size_t, Seconds>> seen_;  // kinds and the time of a message
  bool uneven_ = false;
};

}  // namespace footprint_parts

using namespace footprint_parts;  // NOLINT(google-build-using-namespace): of this file

// Adds footprints to a list.
class FootprintMaker::Work {
 public:
  explicit Work(const platform::Platform& platform)
      : platform_(platform), tally_(platform.links().size()), evenness_(platform) {}

  int32_t add(const stream::Communication& communication, const std::vector<int>& places, int32_t example) {
    const auto first                          = static_cast<int32_t>(result_.phases.size());
    const collective::AlgorithmDef* algorithm = nullptr;
    if (communication.fixed) {
      result_.phases.push_back({*communication.fixed, Seconds(0), -1});
    } else if (const stream::HostCopy copy = stream::host_copy(communication); copy != stream::HostCopy::none) {
      result_.phases.push_back(host_phase(copy, communication.bytes, places[0]));
    } else {
      const auto placed =
          stream::place(platform_, *communication.algorithm, communication.kind, communication.bytes, places);
      algorithm = placed.algorithm;
      for (const collective::Phase& plan : algorithm->flows(placed.task).phases)
        result_.phases.push_back(phase(plan, communication, placed));
    }
    const auto last = static_cast<int32_t>(result_.phases.size());
    result_.distinct.push_back({first, last - first, example, communication.bytes, algorithm});
    return static_cast<int32_t>(result_.distinct.size() - 1);
  }

  Footprints take() { return std::move(result_); }

 private:
  Phase host_phase(stream::HostCopy copy, Bytes bytes, int place) {
    if (!host_routes_) host_routes_.emplace(platform_);
    const bool out             = copy == stream::HostCopy::to_host;
    const platform::Route path = out ? host_routes_->to_host(place) : host_routes_->from_host(place);
    Phase result{platform_.step_latency(path), Seconds(0), -1};
    for (const int link : path.links) {
      tally_.add(link, 1);
      result.alone = std::max(result.alone, bytes / bandwidth(link));
    }
    Load load{tally_.take(), 1};
    if (result.alone > Seconds(0)) result.load = number_of(std::move(load));
    return result;
  }

  // Messages between streams of one device cost nothing.
  Phase phase(const collective::Phase& plan, const stream::Communication& communication, const stream::Placed& placed) {
    const auto& places = placed.places;
    const auto& node   = placed.task.group.node;
    const Bytes bytes  = communication.bytes;
    double unit        = 0;
    Seconds near(0), far(0);              // the longest latencies inside nodes and between them
    Seconds all_hops(0), slowest_hop(0);  // what `bytes` take over one flow alone
    for (const collective::Flow& flow : plan.flows) {
      const int from = places[static_cast<size_t>(flow.from)], to = places[static_cast<size_t>(flow.to)];
      if (from == to) continue;
      const platform::Route path = route(from, to, communication.name);
      const bool leaves          = node[static_cast<size_t>(flow.from)] != node[static_cast<size_t>(flow.to)];
      Seconds& latency           = leaves ? far : near;
      latency                    = std::max(latency, platform_.step_latency(path));
      if (flow.share != unit) unit = common_unit(flow.share, unit);
      Seconds hop(0);
      for (const int link : path.links) {
        tally_.add(link, flow.share);
        hop = std::max(hop, bytes / bandwidth(link));
      }
      evenness_.see(path.links, hop);
      all_hops += hop;
      slowest_hop = std::max(slowest_hop, hop);
    }
    Phase result{plan.near_steps * near + plan.far_steps * far + plan.head * (all_hops - slowest_hop), Seconds(0), -1};
    Load load{tally_.take(), unit};
    for (const auto& [link, weight] : load.crossings)
      result.alone = std::max(result.alone, weight * bytes / bandwidth(link));
    if (result.alone > Seconds(0)) result.load = number_of(std::move(load));
    result.uneven = evenness_.take_uneven();
    return result;
  }

  int32_t number_of(Load load) {
    size_t hash = load.crossings.size();
    for (const auto& [link, weight] : load.crossings)
      hash = combine_hash(combine_hash(hash, static_cast<size_t>(link)), std::hash<double>()(weight));
    return loads_.find_or(
        hash,
        [&](int32_t number) {
          const Load& other = result_.loads[static_cast<size_t>(number)];
          return other.unit == load.unit &&
                 std::equal(other.crossings.begin(), other.crossings.end(), load.crossings.begin(),
                            load.crossings.end(),
                            [](const auto& a, const auto& b) { return a.link == b.link && a.weight == b.weight; });
        },
        [&] {
          result_.loads.push_back(std::move(load));
          return static_cast<int32_t>(result_.loads.size() - 1);
        });
  }

  BytesPerSecond bandwidth(int link) const { return platform_.links().like(static_cast<size_t>(link)).payload(); }

  platform::Route route(int from, int to, const std::string& where) const {
    platform::Route found = platform_.route(from, to);
    if (found.links.empty()) {
      const auto& devices = platform_.devices();
      throw Error(where, fmt::format("platform {} has no route from {} to {}; add one", platform_.name(),
                                     devices[static_cast<size_t>(from)].name, devices[static_cast<size_t>(to)].name));
    }
    return found;
  }

  const platform::Platform& platform_;
  Tally tally_;
  Evenness evenness_;
  std::optional<platform::HostRoutes> host_routes_;  // made when asked for
  Footprints result_;
  Seen loads_;
};

FootprintMaker::FootprintMaker(const platform::Platform& platform) : work_(std::make_unique<Work>(platform)) {}
FootprintMaker::~FootprintMaker() = default;

int32_t FootprintMaker::add(const stream::Communication& communication, const std::vector<int>& places,
                            int32_t example) {
  return work_->add(communication, places, example);
}

Footprints FootprintMaker::take() && { return work_->take(); }

std::vector<int> places_of(const stream::Program& program, const stream::Instance& instance) {
  std::vector<int> places;
  places.reserve(instance.members.size());
  for (const int32_t member : instance.members) {
    const auto& stream = program.streams[static_cast<size_t>(member)];
    places.push_back(program.devices[static_cast<size_t>(stream.device)].place);
  }
  return places;
}

Footprints footprints(const stream::Program& program, const platform::Platform& platform) {
  FootprintMaker maker(platform);
  Seen seen;
  std::vector<int32_t> of_instance, examples;  // of each footprint, the first instance with it
  of_instance.reserve(program.instances.size());
  for (size_t i = 0; i < program.instances.size(); ++i) {
    const stream::Instance& instance = program.instances[i];
    if (stream::is_hand_over(program, instance)) {
      of_instance.push_back(-1);
      continue;
    }
    size_t hash = static_cast<size_t>(instance.communication);
    for (const int32_t member : instance.members) hash = combine_hash(hash, static_cast<size_t>(member));
    of_instance.push_back(seen.find_or(
        hash,
        [&](int32_t number) {
          const auto& other = program.instances[static_cast<size_t>(examples[static_cast<size_t>(number)])];
          return other.communication == instance.communication && other.members == instance.members;
        },
        [&] {
          const auto example = static_cast<int32_t>(i);
          examples.push_back(example);
          return maker.add(program.communications[static_cast<size_t>(instance.communication)],
                           places_of(program, instance), example);
        }));
  }
  Footprints result  = std::move(maker).take();
  result.of_instance = std::move(of_instance);
  return result;
}

std::vector<const collective::AlgorithmDef*> algorithms(const Footprints& footprints) {
  std::vector<const collective::AlgorithmDef*> result;
  result.reserve(footprints.of_instance.size());
  for (const int32_t number : footprints.of_instance)
    result.push_back(number < 0 ? nullptr : footprints.distinct[static_cast<size_t>(number)].algorithm);
  return result;
}

std::vector<std::vector<stream::Crossing>> crossings(const Footprints& footprints) {
  std::vector<std::vector<stream::Crossing>> result;
  result.reserve(footprints.loads.size());
  for (const Load& load : footprints.loads) result.push_back(load.crossings);
  return result;
}

}  // namespace foreflow::simulate
