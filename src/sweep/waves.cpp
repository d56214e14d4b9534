#include "sweep/waves.h"

#include <map>

namespace foreflow::sweep {
namespace {

// Numbers for the different texts of one part of the points, in the order in which they come.
class Numbers {
 public:
  explicit Numbers(std::string_view key) : key_(key) {}

  size_t of(const Json& point) {
    const Json* part = point.find(key_);
    return numbers_.emplace(part == nullptr ? "" : part->dump_compact(), numbers_.size()).first->second;
  }

 private:
  std::string_view key_;
  std::map<std::string, size_t> numbers_;
};

using Groups = std::map<size_t, std::vector<size_t>>;

// The points by platform; those of one workload stand together.
Groups groups_of(const Json& source, const std::vector<scenario::Axis>& axes, const std::vector<size_t>& pending) {
  Numbers platforms("platform"), workloads("workload");
  std::map<size_t, std::map<size_t, std::vector<size_t>>> points;
  for (const size_t number : pending) {
    const Json point = scenario::with_choice(source, axes, scenario::choice_of(axes, number));
    points[platforms.of(point)][workloads.of(point)].push_back(number);
  }
  Groups groups;
  for (const auto& [platform, by_workload] : points) {
    std::vector<size_t>& group = groups[platform];
    for (const auto& [workload, numbers] : by_workload) group.insert(group.end(), numbers.begin(), numbers.end());
  }
  return groups;
}

}  // namespace

std::vector<Wave> waves_of(const Json& source, const std::vector<scenario::Axis>& axes,
                           const std::vector<size_t>& pending, size_t jobs) {
  const size_t share = (pending.size() + jobs - 1) / jobs;
  std::vector<Wave> waves;
  Wave apart;
  for (auto& [platform, points] : groups_of(source, axes, pending)) {
    if (4 * points.size() <= share) {
      apart.batches.push_back(points);
      continue;
    }
    Wave& wave  = waves.emplace_back();
    wave.shared = true;
    for (const size_t point : points) wave.batches.push_back({point});
  }
  if (!apart.batches.empty()) waves.push_back(std::move(apart));
  return waves;
}

}  // namespace foreflow::sweep
