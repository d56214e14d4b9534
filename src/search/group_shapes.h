// Times of messages among the groups of a strategy. Groups of the same shape, with equal nodes and equal links between
// members, take the same time for a message, so each shape is computed only once.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "foreflow/scenario/demand.h"

namespace foreflow::search {

// `count` groups of equal form: `ranks` is the first, and each further group is the previous one shifted by `step`
// ranks.
struct Alike {
  std::vector<int> ranks;
  int step = 1, count = 1;
};

class GroupShapes {
 public:
  explicit GroupShapes(const platform::Platform& platform) : platform_(platform) {}

  const platform::Platform& platform() const { return platform_; }

  // The smallest time of `message`, with the network to itself, over its own group and the groups shifted by multiples
  // of `step` ranks.
  Seconds alone(const scenario::Scenario& scenario, const scenario::Message& message, int step);
  // The smallest time to all-reduce `bytes` in any of `groups`.
  Seconds all_reduce(const scenario::Scenario& scenario, Bytes bytes, const Alike& groups);

 private:
  struct Group {
    std::vector<int> places;  // platform devices of its ranks
    int shape;
  };

  int shape(const std::vector<int>& places);
  std::string shape_text(const std::vector<int>& places) const;
  // One group for each shape among `groups`.
  const std::vector<Group>& distinct(const scenario::Scenario& scenario, const Alike& groups);

  using Asked = std::tuple<collective::Kind, const collective::AlgorithmDef*, double, int>;  // .., bytes, shape

  const platform::Platform& platform_;
  std::map<std::string, int> shapes_;
  std::map<std::string, std::vector<Group>> known_;
  std::map<Asked, Seconds> times_;
};

}  // namespace foreflow::search
