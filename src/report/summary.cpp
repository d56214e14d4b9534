#include "foreflow/report/summary.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/platform/link_kinds.h"
#include "foreflow/stream/share.h"
#include "report/collectives.h"
#include "report/critical_path.h"
#include "report/device_times.h"
#include "report/family.h"
#include "report/interval.h"
#include "report/link_history.h"
#include "report/lost_time.h"
#include "report/memory_curve.h"

namespace foreflow::report {

int64_t DeviceSummary::count() const {
  int64_t count = 0;
  for (const stream::DeviceRange& range : members) count += range.count();
  return count;
}

namespace {

// Seconds that a device waits for its host.
struct HostTimes {
  Seconds idle, inside;
};

DeviceSummary summarise_device(const stream::Program& program, const stream::Timeline& timeline,
                               const platform::Platform& platform, int index, const DeviceTimes& times) {
  const stream::DeviceUse& use     = nth(program.devices, index);
  const platform::Device& hardware = nth(platform.devices(), use.place);
  DeviceSummary device;
  device.name          = name(program, use);
  device.members       = numbers(use);
  device.place         = hardware.name;
  device.node          = hardware.node;
  device.job           = use.job;
  device.compute       = times.compute;
  device.communication = times.communication;
  device.busy          = times.busy;
  device.idle          = timeline.makespan - times.busy;
  device.peak_memory   = times.peak_memory;
  device.capacity      = hardware.memory;
  device.fits          = device.peak_memory <= device.capacity;
  return device;
}

// By device; empty where hosts cost no time.
std::vector<HostTimes> host_times(const stream::Program& program, const stream::Timeline& timeline) {
  if (timeline.issued.empty()) return {};
  std::vector<HostTimes> all(program.devices.size());
  for (size_t s = 0; s < program.streams.size(); ++s) {
    HostTimes& device = nth(all, program.streams[s].device);
    for (const stream::Issued& item : timeline.issued[s]) {
      device.idle += item.idle;
      device.inside += item.inside;
    }
  }
  return all;
}

// If links were not seen together (Timeline::like_link), those of equal figures are one entry. If they were observed,
// each has a history of its own.
std::vector<LinkSummary> summarise_links(const stream::Timeline& timeline, const platform::Platform& platform) {
  std::vector<LinkSummary> links;
  std::unordered_map<int32_t, size_t> by_first;  // link -> index into `links`
  std::map<std::tuple<std::string, double, double, double>, size_t> by_figures;
  for (size_t i = 0; i < timeline.links.size(); ++i) {
    const stream::LinkUse& use = timeline.links[i];
    if (use.bytes == Bytes(0)) continue;
    const platform::Link& link = platform.links().like(i);
    const auto number          = static_cast<int32_t>(i);
    const int32_t first        = timeline.like_link.empty() ? number : timeline.like_link[i];
    auto [known, fresh]        = by_first.try_emplace(first, links.size());
    if (fresh && timeline.paces.empty() && timeline.like_link.empty()) {
      const auto [equal, unequal] = by_figures.try_emplace(
          {link.kind, link.payload().value(), use.bytes.value(), use.busy.value()}, links.size());
      fresh         = unequal;
      known->second = equal->second;
    }
    if (fresh) {
      const Bytes could = link.payload() * timeline.makespan;
      links.push_back(
          {platform.links()[i].name, link.kind, {}, use.bytes, use.busy, could > Bytes(0) ? use.bytes / could : 0});
    }
    links[known->second].members.push_back(number);
  }
  return links;
}

std::vector<NodeSummary> summarise_nodes(const stream::Program& program, const platform::Platform& platform) {
  struct Placed {
    int job;
    int32_t number;
    int place;
  };
  std::vector<Placed> all;
  for (const stream::DeviceUse& device : program.devices) {
    for (const stream::DeviceRange& range : numbers(device)) {
      for (int32_t number = range.first; number <= range.last; number += range.step)
        all.push_back({device.job, number, place_of(program, device, number)});
    }
  }
  const auto before = [](const Placed& a, const Placed& b) {
    return std::tie(a.job, a.number) < std::tie(b.job, b.number);
  };
  if (!std::is_sorted(all.begin(), all.end(), before)) std::stable_sort(all.begin(), all.end(), before);
  std::vector<NodeSummary> nodes;
  std::vector<size_t> newest(static_cast<size_t>(platform.nodes()), SIZE_MAX);  // by node: its last summary
  for (const auto& [job, number, place] : all) {
    size_t& at = nth(newest, platform.node(place));
    if (at == SIZE_MAX || nodes[at].job != job) {
      at = nodes.size();
      nodes.push_back({platform.devices().copy(static_cast<size_t>(place)).node, job, {}});
    }
    nodes[at].devices.push_back(number);
  }
  return nodes;
}

// Totals over all items, including those of devices that another device represents.
struct Tally {
  std::vector<int64_t> executions;  // by compute
  std::vector<Seconds> computing;   // by compute: of all executions, without what the host of the device takes in them
  std::vector<Seconds> communicating;  // by communication: of all members

  // How many times as long as it was priced a compute took on average: more on slow devices and beside collectives.
  double stretch(size_t compute, Seconds priced) const {
    constexpr double kRounding = 1e-9;
    const Seconds expected     = static_cast<double>(executions[compute]) * priced;
    if (expected <= Seconds(0)) return 1;
    const double found = computing[compute] / expected;
    return std::abs(found - 1) < kRounding ? 1 : found;
  }
};

Tally tally_of(const stream::Program& program, const stream::Timeline& timeline) {
  Tally tally{std::vector<int64_t>(program.computes.size()), std::vector<Seconds>(program.computes.size()),
              std::vector<Seconds>(program.communications.size())};
  for (size_t s = 0; s < program.streams.size(); ++s) {
    const auto& items         = program.streams[s].items;
    const int64_t represented = nth(program.devices, program.streams[s].device).count();
    for (size_t i = 0; i < items.size(); ++i) {
      const size_t whose   = whose_time(program, timeline, s, i);
      const auto event     = static_cast<size_t>(items[whose].event);
      const Seconds took   = timeline.records[s][i].end - timeline.records[s][i].start;
      const Seconds inside = timeline.issued.empty() ? Seconds(0) : timeline.issued[s][i].inside;
      if (items[whose].instance < 0) {
        if (whose == i) tally.executions[event] += represented;
        tally.computing[event] += static_cast<double>(represented) * (took - inside);
      } else {
        tally.communicating[event] += static_cast<double>(represented) * took;
      }
    }
  }
  return tally;
}

// A composite counts by its parts.
std::vector<OpTime> time_by_op(const stream::Program& program, const Tally& tally) {
  std::map<std::string, OpTime> ops;
  const auto add = [&](const std::string& name, const Family& family, Seconds seconds) {
    ops.emplace(name, OpTime{name, std::string(family.name), Seconds(0)}).first->second.seconds += seconds;
  };
  const auto devices = static_cast<double>(std::max<int64_t>(stream::device_count(program), 1));
  for (size_t e = 0; e < program.computes.size(); ++e) {
    const stream::Compute& compute = program.computes[e];
    const double times = static_cast<double>(tally.executions[e]) / devices * tally.stretch(e, compute.duration);
    if (compute.parts.empty()) add(compute.name, family_of_op(compute.name), times * compute.duration);
    for (const stream::Part& part : compute.parts) add(part.name, family_of_op(part.name), times * part.duration);
  }
  for (size_t e = 0; e < program.communications.size(); ++e) {
    add(program.communications[e].name, family_of(program.communications[e]), tally.communicating[e] / devices);
  }

  std::vector<OpTime> sorted;
  for (auto& [name, op] : ops) {
    if (op.seconds > Seconds(0)) sorted.push_back(std::move(op));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const OpTime& a, const OpTime& b) { return a.seconds > b.seconds; });
  return sorted;
}

// Communications that are never executed, such as the wait for a job's start, are not events.
EventCounts count_events(const stream::Program& program, const Tally& tally) {
  EventCounts counts;
  std::vector<bool> communicates(program.communications.size());
  for (const stream::Instance& instance : program.instances) {
    if (instance.members.empty()) continue;
    counts.executed += instance.members.executions();
    nth(communicates, instance.communication) = true;
  }
  counts.distinct =
      static_cast<int64_t>(program.computes.size()) + std::count(communicates.begin(), communicates.end(), true);
  counts.executed += std::accumulate(tally.executions.begin(), tally.executions.end(), int64_t{0});
  return counts;
}

std::vector<JobSummary> summarise_jobs(const Summary& summary, const stream::Program& program,
                                       const stream::Timeline& timeline) {
  std::vector<JobSummary> jobs;
  for (const SharedJob& shared : summary.job.jobs) {
    const auto number = static_cast<int32_t>(jobs.size());
    JobSummary job;
    job.job      = shared;
    job.together = std::max(stream::end_of(program, timeline, number) - shared.start, Seconds(0));
    if (shared.alone > Seconds(0)) job.slowdown = job.together / shared.alone;
    if (job.together > Seconds(0)) job.samples_per_second = shared.samples / job.together.value();
    job.fits = std::all_of(summary.devices.begin(), summary.devices.end(),
                           [&](const DeviceSummary& device) { return device.job != number || device.fits; });
    jobs.push_back(std::move(job));
  }
  return jobs;
}

void add_rates(Summary& summary, const stream::Program& program, const platform::Platform& platform) {
  if (summary.iteration_time <= Seconds(0) || program.devices.empty()) return;
  const Job& job                       = summary.job;
  const auto devices                   = static_cast<double>(summary.device_count);
  const double time                    = summary.iteration_time.value();
  summary.samples_per_second           = job.samples / time;
  summary.model_rate                   = job.model_flops / summary.iteration_time / devices;
  summary.hardware_rate                = job.hardware_flops / summary.iteration_time / devices;
  summary.tokens_per_second_per_device = job.tokens / time / devices;
  FlopsPerSecond peak;
  for (const stream::DeviceUse& use : program.devices) {
    const std::string& dtype = job.jobs.empty() ? job.dtype : nth(job.jobs, use.job).dtype;
    peak += static_cast<double>(use.count()) * platform.devices().like(static_cast<size_t>(use.place)).peak(dtype);
  }
  if (peak > FlopsPerSecond(0)) summary.mfu = devices * summary.model_rate / peak;
}

// Devices may hold ranks of several jobs one after the other, so each is counted once.
int64_t devices_in_use(const stream::Program& program, const platform::Platform& platform) {
  std::vector<bool> used(platform.devices().size());
  int64_t count = 0;
  for (const stream::DeviceUse& device : program.devices) {
    for (const stream::DeviceRange& range : numbers(device)) {
      for (int32_t number = range.first; number <= range.last; number += range.step) {
        auto place = nth(used, place_of(program, device, number));
        count += place ? 0 : 1;
        place = true;
      }
    }
  }
  return count;
}

// Links inside a server are idle as soon as another link there is better, which is no news: they are not counted.
Idle find_idle(const stream::Program& program, const stream::Timeline& timeline, const platform::Platform& platform) {
  Idle idle;
  idle.of_devices               = static_cast<int64_t>(platform.devices().size());
  idle.devices                  = idle.of_devices - devices_in_use(program, platform);
  const platform::CardUse cards = platform.cards_between_nodes();
  idle.cards                    = cards.idle;
  idle.of_cards                 = cards.cards;
  if (timeline.links.empty()) return idle;
  for (size_t i = 0; i < platform.links().size(); ++i) {
    if (!platform::joins_servers(platform.links().like(i).kind)) continue;
    ++idle.of_links;
    if (i >= timeline.links.size() || timeline.links[i].bytes == Bytes(0)) ++idle.links;
  }
  if (idle.links == idle.of_links) idle.links = 0;  // nothing is sent between servers
  return idle;
}

}  // namespace

Summary summarise(const Job& job, const stream::Program& program, const stream::Timeline& timeline,
                  const platform::Platform& platform, Detail detail) {
  FOREFLOW_CHECK(timeline.records.size() == program.streams.size(), "a timeline has the records of every stream");
  FOREFLOW_CHECK(timeline.links.size() <= platform.links().size(),
                 "a timeline uses links that the platform does not have");
  Summary summary;
  summary.job            = job;
  summary.platform       = platform.name();
  summary.iteration_time = timeline.makespan;
  summary.device_count   = stream::device_count(program);
  summary.nodes          = summarise_nodes(program, platform);
  add_rates(summary, program, platform);

  const auto hosts   = host_times(program, timeline);
  const auto streams = streams_by_device(program);
  DevicePlayer player(program, timeline);
  for (size_t d = 0; d < program.devices.size(); ++d) {
    const auto index = static_cast<int>(d);
    summary.devices.push_back(summarise_device(program, timeline, platform, index, player.play(index, streams[d])));
    summary.fits = summary.fits && summary.devices.back().fits;
    if (hosts.empty()) continue;
    DeviceSummary& device = summary.devices.back();
    device.host_idle      = std::min(hosts[d].idle, device.idle);  // other streams may be busy meanwhile
    device.host_inside    = hosts[d].inside;
  }
  summary.interval = interval_of(summary);
  if (detail == Detail::devices) return summary;

  summary.links                         = summarise_links(timeline, platform);
  const Tally tally                     = tally_of(program, timeline);
  summary.ops                           = time_by_op(program, tally);
  const std::vector<Seconds> contention = contention_by_instance(program, timeline);
  summary.collectives                   = summarise_collectives(program, timeline, contention);
  summary.critical_path                 = critical_path(program, timeline, contention);
  summary.jobs                          = summarise_jobs(summary, program, timeline);
  summary.events                        = count_events(program, tally);
  summary.idle                          = find_idle(program, timeline, platform);
  summary.assumed                       = platform.declared().assumed;
  summary.assumed.insert(summary.assumed.end(), job.assumed.begin(), job.assumed.end());
  const std::string elsewhere = measured_elsewhere(program);
  if (!elsewhere.empty()) summary.assumed.push_back(elsewhere);
  summary.ignored = platform.declared().ignored;
  if (!timeline.paces.empty()) add_history(summary, program, timeline, platform);
  return summary;
}

}  // namespace foreflow::report
