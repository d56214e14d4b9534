#include "simulate/footprint/host_phases.h"

#include <algorithm>
#include <map>

#include "foreflow/platform/link_kinds.h"

namespace foreflow::simulate {

Phase HostPhases::copy(stream::HostCopy copy, Bytes bytes, int place) {
  if (!routes_) routes_.emplace(platform_);
  const bool out             = copy == stream::HostCopy::to_host;
  const platform::Route path = out ? routes_->to_host(place) : routes_->from_host(place);
  Phase result{platform_.step_latency(path), Seconds(0), -1};
  std::map<int, double> weights;
  for (const int link : path.links) {
    weights[link] += 1;
    result.alone = std::max(result.alone, bytes / platform_.links().like(static_cast<size_t>(link)).payload());
  }
  Load load{{}, 1};
  for (const auto& [link, weight] : weights) load.crossings.push_back({link, weight});
  Course delays;
  for (const ChangedPhase& changed : changing_.phases({{path, false, 1}}))
    delays.push_back({changed.at, changed.near.value()});
  result.delays = only_if_changing(std::move(delays), result.delay.value());
  if (result.alone > Seconds(0)) result.load = loads_.number_of(std::move(load));
  return result;
}

int HostPhases::cores() {
  if (cores_) return *cores_;
  cores_              = -1;
  const auto is_cores = [](const platform::Link& link) { return link.kind == platform::kCores; };
  const auto& kinds   = platform_.links().kinds();
  if (std::none_of(kinds.begin(), kinds.end(), is_cores)) return -1;
  for (size_t link = 0; link < platform_.links().size(); ++link) {
    if (!is_cores(platform_.links().like(link))) continue;
    if (*cores_ >= 0)
      throw PartError("platform " + platform_.name(),
                      "has more than one link of the kind cores; keep one, which the hosts of all devices share");
    cores_ = static_cast<int>(link);
  }
  return *cores_;
}

Phase HostPhases::work(Seconds alone, Bytes bytes) {
  // As if work of one second moved as many bytes as the link of the cores does.
  const Bytes moved   = alone * platform_.links().like(static_cast<size_t>(cores())).payload();
  const double weight = moved / bytes;
  return {Seconds(0), alone, loads_.number_of(Load{{{cores(), weight}}, weight})};
}

}  // namespace foreflow::simulate
