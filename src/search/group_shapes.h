// The groups of a strategy as the network sees them: groups of one shape take the same time for a message, so each shape is
// asked once.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "foreflow/scenario/run.h"

namespace foreflow::search {

enum class Along : uint8_t { tensor, data };  // the devices of one stage of a replica; those of one part of all replicas

class GroupShapes {
 public:
  explicit GroupShapes(const platform::Platform& platform) : platform_(platform) {}

  const platform::Platform& platform() const { return platform_; }

  // The least of `time` over all groups.
  Seconds least(const scenario::Scenario& scenario, Along along,
                const std::function<Seconds(const std::vector<int>& places)>& time);

 private:
  std::string shape(const std::vector<int>& places) const;
  // One group of each shape.
  const std::vector<std::vector<int>>& groups(const scenario::Scenario& scenario, Along along);

  const platform::Platform& platform_;
  std::map<std::string, std::vector<std::vector<int>>> known_;
};

}  // namespace foreflow::search
