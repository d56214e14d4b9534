// Numbers for what devices and links are apart from their names and places.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "foreflow/platform/platform.h"

namespace foreflow::platform {

inline auto traits(const Device& device) {
  const auto& [name, kind, node, memory, memory_bandwidth, peaks, launch, rail, nvlink_generation, cpu] = device;
  return std::tuple(kind, memory, memory_bandwidth, peaks, launch, nvlink_generation, cpu.name, cpu.rating);
}

inline auto traits(const Link& link) {
  const auto& [name, kind, bandwidth, latency, efficiency, channels, step_latency, in_switch, nvlink_generation, fat] =
      link;
  return std::tuple(kind, bandwidth, latency, efficiency, channels, step_latency, in_switch, nvlink_generation, fat);
}

template <class T>
class KindNumbers {
 public:
  int of(const T& item) {
    const auto [known, is_new] = numbers_.emplace(traits(item), static_cast<int>(examples_.size()));
    if (is_new) examples_.push_back(item);
    return known->second;
  }
  const std::vector<T>& examples() const { return examples_; }

 private:
  std::map<decltype(traits(std::declval<T>())), int> numbers_;
  std::vector<T> examples_;
};

}  // namespace foreflow::platform
