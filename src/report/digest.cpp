#include "report/digest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "report/family.h"

namespace foreflow::report {

std::vector<FamilyTime> time_by_family(const Summary& summary) {
  std::vector<FamilyTime> families;
  for (const OpTime& op : summary.ops) {
    auto family = std::find_if(families.begin(), families.end(), [&](const FamilyTime& f) { return f.name == op.family; });
    if (family == families.end()) {
      families.push_back({op.family, std::string(colour_of(op.family)), Seconds(0), {}});
      family = families.end() - 1;
    }
    family->seconds += op.seconds;
    family->ops.push_back(&op);
  }
  std::stable_sort(families.begin(), families.end(), [](const FamilyTime& a, const FamilyTime& b) { return a.seconds > b.seconds; });
  return families;
}

std::vector<DeviceGroup> equal_devices(const Summary& summary) {
  std::vector<DeviceGroup> groups;
  std::map<std::array<int64_t, 6>, size_t> index;
  const double time = summary.iteration_time.value();
  const auto share  = [&](Seconds part) { return time > 0 ? std::llround(part.value() / time * 1000) : 0; };
  const auto whole  = [](Bytes size) { return std::llround(size.value()); };
  for (const DeviceSummary& device : summary.devices) {
    const std::array<int64_t, 6> key = {share(device.busy),          share(device.compute),       share(device.communication),
                                        whole(device.peak_memory), whole(device.capacity), device.fits ? 1 : 0};
    const auto [found, fresh] = index.emplace(key, groups.size());
    if (fresh) groups.push_back({{}, &device});
    groups[found->second].names.push_back(device.name);
  }
  return groups;
}

std::vector<const LinkSummary*> busiest_links(const Summary& summary, size_t most) {
  std::vector<const LinkSummary*> links;
  for (const LinkSummary& link : summary.links) links.push_back(&link);
  std::stable_sort(links.begin(), links.end(),
                   [](const LinkSummary* a, const LinkSummary* b) { return a->utilization > b->utilization; });
  links.resize(std::min(links.size(), most));
  return links;
}

std::vector<PathShare> path_shares(const Summary& summary) {
  std::vector<PathShare> shares;
  std::map<std::string, size_t> index;
  std::set<std::pair<size_t, std::string>> met;
  for (const Segment& segment : summary.critical_path) {
    const auto [found, fresh] = index.emplace(segment.what, shares.size());
    if (fresh) shares.push_back({segment.what, Seconds(0), 0, {}});
    PathShare& share = shares[found->second];
    share.seconds += segment.seconds;
    share.count += segment.count;
    if (met.emplace(found->second, segment.device).second) share.streams.push_back(segment.device);
  }
  std::stable_sort(shares.begin(), shares.end(), [](const PathShare& a, const PathShare& b) { return a.seconds > b.seconds; });
  return shares;
}

Averages averages(const Summary& summary) {
  Averages out;
  Seconds communication, both;
  for (const DeviceSummary& device : summary.devices) {
    out.idle += device.idle;
    communication += device.communication;
    both += device.compute + device.communication - device.busy;
  }
  if (!summary.devices.empty()) out.idle = out.idle / static_cast<double>(summary.devices.size());
  if (communication > Seconds(0)) out.hidden = both / communication;
  return out;
}

}  // namespace foreflow::report
