#include "foreflow/search/cluster.h"

#include <algorithm>

#include "foreflow/scenario/axes.h"

namespace foreflow::search {
namespace {

constexpr std::string_view kAxesOf = "platform";
constexpr size_t kMostClusters     = 10'000;
// The command for axes of other parts than the platform, the strategy and the placement.
constexpr std::string_view kOtherAxes = "sweep";

// Nothing but platforms is an axis here; without strategy and placement nothing of those can be wrong.
Json without_strategy(const Json& source) {
  Json bare = Json(source).set("strategy", Json::object());
  if (source.find("placement") != nullptr) bare.set("placement", Json::object());
  return bare;
}

std::vector<scenario::Axis> platform_axes(const Json& source, const std::string& file) {
  const Json* platform = source.find(kAxesOf);
  if (platform == nullptr) return {};
  return scenario::axes(Json::object().set(kAxesOf, *platform), file);
}

Json said_by(const std::vector<scenario::Axis>& axes, const std::vector<size_t>& choice) {
  Json said;
  for (size_t a = 0; a < axes.size(); ++a) {
    const Json& value      = axes[a].values[choice[a]];
    const std::string path = axes[a].path();
    if (path == kAxesOf) return value;
    said.set(path.substr(kAxesOf.size() + 1), value);
  }
  return said;
}

bool same_sizes(const platform::Platform& a, const platform::Platform& b) {
  const auto& one   = a.devices().kinds();
  const auto& other = b.devices().kinds();
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const platform::Device& x, const platform::Device& y) {
                      return platform::same_speed(x, y) && x.memory == y.memory;
                    });
}

}  // namespace

std::vector<Cluster> clusters_of(const Json& source, const std::string& file) {
  const Json bare                        = without_strategy(source);
  const std::vector<scenario::Axis> axes = platform_axes(bare, file);
  const size_t count                     = scenario::count_points(axes, file);
  if (count > kMostClusters)
    throw Error(file + ": $.platform", "has " + std::to_string(count) + " platforms; list 10000 or fewer");
  std::vector<Cluster> clusters;
  for (size_t number = 0; number < count; ++number) {
    const std::vector<size_t> choice = scenario::choice_of(axes, number);
    const Json asked                 = scenario::with_choice(bare, axes, choice);
    Cluster cluster{said_by(axes, choice), scenario::load(asked, file, kOtherAxes), asked, nullptr};
    scenario::check_one_job(cluster.base);
    cluster.platform = scenario::load_platform(cluster.base.platform);
    cluster.hardware = static_cast<int>(number);
    for (const Cluster& earlier : clusters) {
      if (!same_sizes(*earlier.platform, *cluster.platform)) continue;
      cluster.hardware = earlier.hardware;
      break;
    }
    clusters.push_back(std::move(cluster));
  }
  return clusters;
}

}  // namespace foreflow::search
