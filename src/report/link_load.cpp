#include "report/link_load.h"

#include <algorithm>
#include <map>

#include "foreflow/base/nth.h"
#include "report/stretches.h"

namespace foreflow::report {
namespace {

std::vector<const LinkSummary*> busiest(const Summary& summary, size_t most) {
  std::vector<const LinkSummary*> links;
  for (const LinkSummary& link : summary.links) links.push_back(&link);
  std::stable_sort(links.begin(), links.end(),
                   [](const LinkSummary* a, const LinkSummary* b) { return a->utilization > b->utilization; });
  links.resize(std::min(links.size(), most));
  return links;
}

// Index among the watched links, or -1.
std::vector<int> watch(const std::vector<const LinkSummary*>& links, const platform::Platform& platform) {
  std::vector<int> watched(platform.links().size(), -1);
  for (size_t i = 0; i < links.size(); ++i) {
    if (const auto found = platform.find_link(links[i]->name)) nth(watched, *found) = static_cast<int>(i);
  }
  return watched;
}

struct Step {
  Seconds time;
  BytesPerSecond change;
  int running;  // +1 or -1
};

std::vector<LoadPoint> accumulate(std::vector<Step> steps) {
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.time < b.time; });
  std::vector<LoadPoint> points = {{Seconds(0), BytesPerSecond(0)}};
  BytesPerSecond rate;
  int running = 0;
  for (const Step& step : steps) {
    running += step.running;
    // Exactly zero when nothing runs: sums of differences leave dust.
    rate = running == 0 ? BytesPerSecond(0) : rate + step.change;
    if (points.back().time == step.time) {
      points.back().rate = rate;
    } else {
      points.push_back({step.time, rate});
    }
  }
  return points;
}

}  // namespace

std::vector<LinkLoad> link_loads(const Summary& summary, const stream::Program& program,
                                 const stream::Timeline& timeline, const platform::Platform& platform, size_t most) {
  const std::vector<const LinkSummary*> links = busiest(summary, most);
  if (links.empty()) return {};
  const std::vector<int> watched = watch(links, platform);

  std::vector<std::vector<Step>> steps(links.size());
  for (size_t f = 0; f < timeline.flows.size(); ++f) {
    const stream::Flow& flow = timeline.flows[f];
    for (const stream::Crossing& crossing : nth(timeline.loads, flow.load)) {
      const int link = nth(watched, crossing.link);
      if (link < 0) continue;
      for_each_stretch(timeline, f, bytes_of(program, flow), [&](Seconds from, Seconds to, BytesPerSecond rate) {
        nth(steps, link).push_back({from, crossing.weight * rate, 1});
        nth(steps, link).push_back({to, -1.0 * (crossing.weight * rate), -1});
      });
    }
  }
  std::vector<LinkLoad> loads;
  for (size_t i = 0; i < links.size(); ++i) {
    if (!steps[i].empty()) loads.push_back({links[i]->name, accumulate(std::move(steps[i]))});
  }
  return loads;
}

}  // namespace foreflow::report
