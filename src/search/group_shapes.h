// The groups of a strategy as the network sees them: groups of one shape take the same time for a message, so each
// shape is asked once.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "foreflow/scenario/demand.h"

namespace foreflow::search {

// `count` groups of ranks: the first, and each of the others `step` ranks behind the one before.
struct Alike {
  std::vector<int> ranks;
  int step = 1, count = 1;
};

class GroupShapes {
 public:
  explicit GroupShapes(const platform::Platform& platform) : platform_(platform) {}

  const platform::Platform& platform() const { return platform_; }

  // The least time of the message in the groups like its own that lie `step` ranks apart, with the network to itself.
  Seconds alone(const scenario::Scenario& scenario, const scenario::Message& message, int step);
  // The least time to all-reduce so many bytes in any of the groups.
  Seconds all_reduce(const scenario::Scenario& scenario, Bytes bytes, const Alike& groups);

 private:
  struct Group {
    std::vector<int> places;  // devices of the platform
    int shape;
  };

  int shape(const std::vector<int>& places);
  std::string shape_text(const std::vector<int>& places) const;
  // One group of each shape.
  const std::vector<Group>& distinct(const scenario::Scenario& scenario, const Alike& groups);

  using Asked = std::tuple<collective::Kind, const collective::AlgorithmDef*, double, int>;  // .., bytes, shape

  const platform::Platform& platform_;
  std::map<std::string, int> shapes_;
  std::map<std::string, std::vector<Group>> known_;
  std::map<Asked, Seconds> times_;
};

}  // namespace foreflow::search
