#include "search/worlds.h"

#include <algorithm>
#include <numeric>

namespace foreflow::search {
namespace {

// The sources of the numbers are in docs/models.md.
constexpr const char* kDefault = R"({
  "stragglers": {"share": 0.05, "factor": 1.1},
  "jitter": {"amplitude": 0.02},
  "link_loss": {"share": 0.01, "factor": 0.5}
})";

Json default_distribution(const simulate::EngineDef& engine) {
  const Json all = parse_json(kDefault, "default");
  Json meant     = Json::object();
  for (const auto& [name, value] : *all.if_object()) {
    const bool of_links = simulate::disturbance_kinds().get(name, "default").affects == simulate::Affected::links;
    if (engine.shares_links || !of_links) meant.set(name, value);
  }
  return meant;
}

// Returns true if seeds make a difference.
bool is_drawn(const simulate::Disturbances& disturbances) {
  return std::any_of(simulate::disturbance_kinds().begin(), simulate::disturbance_kinds().end(),
                     [&](const simulate::DisturbanceDef& kind) { return kind.reseed && kind.is_given(disturbances); });
}

}  // namespace

std::string_view name(Risk risk) { return risk == Risk::mean ? "mean" : "p95"; }

Worlds take_worlds(std::vector<Cluster>& clusters, const Options& options) {
  if (options.worlds == 0) return {};
  const scenario::Scenario& scenario = clusters.front().base;
  const Json* own                    = scenario.source.find("disturbances");
  const Json said                    = own != nullptr ? *own : default_distribution(*scenario.engine);
  const JsonView view(said, "disturbances");
  Worlds worlds{options.worlds, scenario.disturbances ? *scenario.disturbances : simulate::read_disturbances(view),
                said, options.risk};
  for (Cluster& cluster : clusters) cluster.base.disturbances.reset();
  if (!is_drawn(worlds.distribution.planned)) {
    throw Error(scenario.file + ": $.disturbances",
                "has nothing that is drawn, so all worlds are the same; give stragglers, jitter or link_loss, or leave "
                "it out for the default");
  }
  return worlds;
}

double least_factor(const Worlds& worlds) {
  return worlds.count == 0 ? 1 : simulate::least_factor(worlds.distribution.planned);
}

simulate::Disturbances disturbances_of(const Worlds& worlds, uint64_t seed, const platform::Platform& platform) {
  simulate::NamedDisturbances named = worlds.distribution;
  for (const simulate::DisturbanceDef& kind : simulate::disturbance_kinds()) {
    if (kind.reseed) kind.reseed(seed, named.planned);
  }
  return simulate::numbered(named, platform);
}

Spread spread_of(Seconds undisturbed, std::vector<Seconds> times) {
  std::sort(times.begin(), times.end());
  const Seconds sum = std::accumulate(times.begin(), times.end(), Seconds(0));
  const size_t rank = (19 * times.size() + 19) / 20;  // 95 % of them, rounded up
  return {undisturbed, sum / static_cast<double>(times.size()), times[rank - 1]};
}

Seconds at_risk(const Spread& spread, Risk risk) { return risk == Risk::mean ? spread.mean : spread.p95; }

}  // namespace foreflow::search
