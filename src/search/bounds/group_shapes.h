// Times of messages among the groups of a strategy. Groups of the same shape, with equal nodes and equal links between
// members, take the same time for a message, so each shape is computed only once.
#pragma once

#include <bit>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "foreflow/scenario/demand.h"

namespace foreflow::search {

// The platform devices of the ranks of a strategy. If there are several ways to place the ranks, times are those of the
// way that is best for the message.
struct Arrangement {
  int number;                          // of this arrangement: equal ones have equal numbers
  std::vector<std::vector<int>> ways;  // in each, rank r has the platform device way[r]

  size_t ranks() const { return ways.front().size(); }
};

// `count` groups of equal form: `ranks` is the first. Each of the next `neighbours` - 1 is the previous one shifted by
// one rank; these `neighbours` groups repeat, shifted by `step` ranks each time. With two shards (neighbours) of two
// contexts in two stages, for example, ranks are {0, 2}, step is 4, and the groups are {0, 2}, {1, 3}, {4, 6}, {5, 7}.
struct ShiftedGroups {
  std::vector<int> ranks;
  int step = 1, count = 1;
  int neighbours = 1;
};

class GroupShapes {
 public:
  explicit GroupShapes(const platform::Platform& platform) : platform_(platform), alone_(platform) {}

  // The result is valid as long as this object. With `placements`, the ranks may be placed by each of these instead of
  // the scenario's own placement.
  const Arrangement& arrangement(const scenario::Scenario& scenario,
                                 const std::vector<scenario::Placement>& placements = {});

  // The smallest time of `message`, with the network to itself, over its own group and the groups shifted by multiples
  // of `step` ranks.
  Seconds alone(const Arrangement& where, const scenario::Message& message, int step);
  // The same over `groups`.
  Seconds alone(const Arrangement& where, const scenario::Message& message, const ShiftedGroups& groups);
  // The smallest time to all-reduce `bytes` in any of `groups`.
  Seconds all_reduce(const scenario::Scenario& scenario, const Arrangement& where, Bytes bytes,
                     const ShiftedGroups& groups);

 private:
  struct Group {
    std::vector<int> places;  // platform devices of its ranks
    int shape;

    simulate::NumberedGroup numbered() const { return {static_cast<size_t>(shape), places}; }
  };

  int shape(const std::vector<int>& places);
  // One group for each shape among `groups`.
  const std::vector<Group>& distinct(const Arrangement& where, const ShiftedGroups& groups);

  struct Asked {
    collective::Kind kind;
    const collective::AlgorithmDef* algorithm;
    double bytes;
    int shape;
    std::vector<stream::TimeOnNodes> measured;
    bool operator==(const Asked&) const = default;
  };
  struct AskedHash {
    size_t operator()(const Asked& asked) const {
      constexpr size_t kMix = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
      size_t hash           = std::bit_cast<size_t>(asked.bytes);
      for (const size_t part :
           {static_cast<size_t>(asked.kind), std::bit_cast<size_t>(asked.algorithm), static_cast<size_t>(asked.shape)})
        hash = (std::rotl(hash, 23) ^ part) * kMix;
      return hash;
    }
  };
  using Reduced  = std::tuple<double, std::vector<int>, int>;         // bytes, ranks, shape
  using Grouping = std::tuple<int, int, int, int, std::vector<int>>;  // arrangement, step, count, neighbours, ranks

  const platform::Platform& platform_;
  simulate::TimesAlone alone_;  // of groups that are numbered by their shapes
  SequenceTable shapes_;
  std::map<std::string, const Arrangement*> by_text_;  // by the degrees and the placement
  std::map<std::vector<std::vector<int>>, Arrangement> arrangements_;
  std::map<Grouping, std::vector<Group>> known_;
  std::unordered_map<Asked, Seconds, AskedHash> times_;  // looked up, never listed
  std::map<Reduced, Seconds> reduced_;
};

// The shapes of groups on each of several platforms, which must live as long.
class ShapesOf {
 public:
  GroupShapes& on(const platform::Platform& platform) { return shapes_.try_emplace(&platform, platform).first->second; }

 private:
  std::map<const platform::Platform*, GroupShapes> shapes_;
};

}  // namespace foreflow::search
