#include "report/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "foreflow/base/nth.h"
#include "report/device_names.h"
#include "report/family.h"
#include "report/words.h"

namespace foreflow::report {

std::vector<FamilyTime> time_by_family(const Summary& summary) {
  std::vector<FamilyTime> families;
  for (const OpTime& op : summary.ops) {
    auto family =
        std::find_if(families.begin(), families.end(), [&](const FamilyTime& f) { return f.name == op.family; });
    if (family == families.end()) {
      families.push_back({op.family, std::string(colour_of(op.family)), Seconds(0), {}});
      family = families.end() - 1;
    }
    family->seconds += op.seconds;
    family->ops.push_back(&op);
  }
  std::stable_sort(families.begin(), families.end(),
                   [](const FamilyTime& a, const FamilyTime& b) { return a.seconds > b.seconds; });
  return families;
}

std::vector<DeviceGroup> equal_devices(const Summary& summary) {
  std::vector<DeviceGroup> groups;
  std::map<std::array<int64_t, 6>, size_t> index;
  const double time = summary.iteration_time.value();
  const auto share  = [&](Seconds part) { return time > 0 ? std::llround(part.value() / time * 1000) : 0; };
  const auto whole  = [](Bytes size) { return std::llround(size.value()); };
  for (const DeviceSummary& device : summary.devices) {
    const std::array<int64_t, 6> key = {share(device.busy),        share(device.compute),  share(device.communication),
                                        whole(device.peak_memory), whole(device.capacity), device.fits ? 1 : 0};
    const auto [found, fresh]        = index.emplace(key, groups.size());
    if (fresh) groups.push_back({{}, &device});
    groups[found->second].devices.push_back(static_cast<size_t>(&device - summary.devices.data()));
  }
  return groups;
}

std::vector<LinkGroup> busiest_links(const Summary& summary) {
  std::vector<LinkGroup> groups;
  std::map<std::tuple<int64_t, std::string, std::string>, size_t> index;
  for (const LinkSummary& link : summary.links) {
    const auto [found, fresh] =
        index.emplace(std::tuple(std::llround(link.utilization * 1e3), format(link.bytes), link.kind), groups.size());
    if (fresh) groups.push_back({0, &link});
    groups[found->second].count += static_cast<int64_t>(link.members.size());
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const LinkGroup& a, const LinkGroup& b) { return a.first->utilization > b.first->utilization; });
  return groups;
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
  std::stable_sort(shares.begin(), shares.end(),
                   [](const PathShare& a, const PathShare& b) { return a.seconds > b.seconds; });
  return shares;
}

std::string_view what_takes_the_time(const Summary& summary) {
  return summary.jobs.empty() ? "one iteration" : "all jobs";
}

std::array<std::string, 5> columns_of(const JobSummary& job) {
  std::string name = job.job.name;
  if (job.job.iterations != 1) name += fmt::format(", {} x", count(job.job.iterations));
  return {name, format(job.job.start), format(job.job.alone), format(job.together),
          fmt::format("{:.3f} x", job.slowdown)};
}

std::array<std::string, 7> columns_of(const CollectiveSummary& row) {
  const std::string among = row.ranks > 2 ? fmt::format(" among {}", row.ranks) : "";
  return {fmt::format("{} {}{}", plain_name(row.name), format(row.bytes), among),
          count(row.count),
          format(row.time / static_cast<double>(row.count)),
          format(row.algbw),
          format(row.busbw),
          percent(row.contention / row.time),
          percent(row.waiting / (row.time + row.waiting))};
}

std::string where_ranks_sit(const Summary& summary, size_t job, const std::string& placement, int width) {
  std::vector<const NodeSummary*> nodes;
  for (const NodeSummary& node : summary.nodes) {
    if (static_cast<size_t>(node.job) == job) nodes.push_back(&node);
  }
  const auto so_many = [](size_t n) {
    return fmt::format("{} node{}", count(static_cast<int64_t>(n)), n == 1 ? "" : "s");
  };
  std::string shown = placement + ": " + so_many(nodes.size()), text = placement + ":";
  for (size_t i = 0; i < nodes.size(); ++i) {
    text += fmt::format("{} {} on {}", i == 0 ? "" : ",", device_ranges(nodes[i]->devices, 2), nodes[i]->name);
    const size_t left      = nodes.size() - 1 - i;
    const std::string with = left == 0 ? text : text + ", … " + so_many(left) + " more";
    if (cells(with) > width) break;
    shown = with;
  }
  return shown;
}

Json message_provenance(const Summary& summary) {
  std::map<std::string, Seconds> seconds;
  Seconds all;
  for (const CollectiveSummary& one : summary.collectives) {
    seconds[one.provenance] += one.ranks * one.time;
    all += one.ranks * one.time;
  }
  Json shares = Json::object();
  for (const auto& [provenance, part] : seconds) shares.set(provenance, part / all);
  return shares;
}

Averages averages(const Summary& summary) {
  Averages out;
  Seconds communication, both;
  for (const DeviceSummary& device : summary.devices) {
    const auto represented = static_cast<double>(device.count());
    out.idle += represented * device.idle;
    out.host += represented * (device.host_idle + device.host_inside);
    out.host_inside += represented * device.host_inside;
    communication += represented * device.communication;
    both += represented * (device.compute + device.communication - device.busy);
  }
  const auto devices = static_cast<double>(std::max<int64_t>(summary.device_count, 1));
  for (Seconds* sum : {&out.idle, &out.host, &out.host_inside}) *sum = *sum / devices;
  if (communication > Seconds(0)) out.hidden = both / communication;
  return out;
}

const MemoryPeak* fullest_peak(const Summary& summary, const std::vector<MemoryPeak>& peaks) {
  const auto fullness = [&](const MemoryPeak& peak) {
    const Bytes capacity = nth(summary.devices, peak.devices[0]).capacity;
    return capacity > Bytes(0) ? peak.size / capacity : 0;
  };
  const auto fullest = std::max_element(
      peaks.begin(), peaks.end(), [&](const MemoryPeak& a, const MemoryPeak& b) { return fullness(a) < fullness(b); });
  return fullest == peaks.end() ? nullptr : &*fullest;
}

std::string words_of(stream::MemoryClass kind) {
  std::string words(stream::name(kind));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string largest(const MemoryPeak& peak, stream::MemoryClass kind, size_t most) {
  std::string all;
  for (const Alive& alive : peak.alive) {
    if (alive.kind != kind) continue;
    if (most-- == 0) break;
    all += all.empty() ? "" : ", ";
    all += alive.count > 1 ? count(alive.count) + " x " + alive.name : alive.name;
  }
  return all;
}

std::optional<Seconds> needed_by_links(const Summary& summary) {
  double most = 0;
  for (const LinkSummary& link : summary.links) most = std::max(most, link.utilization);
  if (most < 1.0005) return std::nullopt;  // shown as 100.0 %
  return most * summary.iteration_time;
}

}  // namespace foreflow::report
