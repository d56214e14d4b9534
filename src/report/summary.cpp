#include "foreflow/report/summary.h"

#include <algorithm>
#include <map>

#include "foreflow/base/error.h"
#include "foreflow/stream/share.h"
#include "report/collectives.h"
#include "report/critical_path.h"
#include "report/family.h"
#include "report/link_history.h"
#include "report/memory_curve.h"

namespace foreflow::report {
namespace {

bool earlier(const stream::Record& a, const stream::Record& b) {
  return a.start < b.start || (a.start == b.start && a.end < b.end);
}

// Length of the union of the intervals, which stand in order.
Seconds covered(const std::vector<stream::Record>& intervals) {
  Seconds sum;
  for (size_t i = 0; i < intervals.size();) {
    const Seconds start = intervals[i].start;
    Seconds end         = intervals[i].end;
    while (++i < intervals.size() && intervals[i].start <= end) end = std::max(end, intervals[i].end);
    sum += end - start;
  }
  return sum;
}

struct Intervals {
  std::vector<stream::Record> compute, communication;

  // Those of one stream stand in order; those of several are put in order here.
  void sort() {
    for (auto* kind : {&compute, &communication}) {
      if (!std::is_sorted(kind->begin(), kind->end(), earlier)) std::sort(kind->begin(), kind->end(), earlier);
    }
  }
  std::vector<stream::Record> all() const {
    std::vector<stream::Record> both(compute.size() + communication.size());
    std::merge(compute.begin(), compute.end(), communication.begin(), communication.end(), both.begin(), earlier);
    return both;
  }
};

// Of one device at a time: those of all are as large as the timeline.
Intervals intervals_of(const stream::Program& program, const stream::Timeline& timeline,
                       const std::vector<size_t>& streams) {
  Intervals device;
  for (const size_t s : streams) {
    const stream::Stream& stream = program.streams[s];
    device.compute.reserve(device.compute.size() + stream.items.size());
    for (size_t i = 0; i < stream.items.size(); ++i) {
      auto& kind = stream.items[i].instance < 0 ? device.compute : device.communication;
      kind.push_back(timeline.records[s][i]);
    }
  }
  device.sort();
  return device;
}

DeviceSummary summarise_device(const stream::Program& program, const stream::Timeline& timeline,
                               const platform::Platform& platform, int index, const std::vector<size_t>& streams) {
  const Intervals intervals        = intervals_of(program, timeline, streams);
  const stream::DeviceUse& use     = program.devices[static_cast<size_t>(index)];
  const platform::Device& hardware = platform.devices()[static_cast<size_t>(use.place)];
  DeviceSummary device;
  device.name          = name(program, use);
  device.place         = hardware.name;
  device.node          = hardware.node;
  device.job           = use.job;
  device.compute       = covered(intervals.compute);
  device.communication = covered(intervals.communication);
  device.busy          = covered(intervals.all());
  device.idle          = timeline.makespan - device.busy;
  device.peak_memory   = memory_curve(program, timeline, index, streams).peak;
  device.capacity      = hardware.memory;
  device.fits          = device.peak_memory <= device.capacity;
  return device;
}

std::vector<LinkSummary> summarise_links(const stream::Timeline& timeline, const platform::Platform& platform) {
  std::vector<LinkSummary> links;
  for (size_t i = 0; i < timeline.links.size(); ++i) {
    const stream::LinkUse& use = timeline.links[i];
    const platform::Link& link = platform.links()[i];
    if (use.bytes == Bytes(0)) continue;
    const Bytes could = link.payload() * timeline.makespan;
    links.push_back({link.name, link.kind, use.bytes, use.busy, could > Bytes(0) ? use.bytes / could : 0});
  }
  return links;
}

// A composite counts by its parts.
std::vector<OpTime> time_by_op(const stream::Program& program, const stream::Timeline& timeline) {
  std::vector<double> executions(program.computes.size());
  std::map<std::string, OpTime> ops;
  const auto add = [&](const std::string& name, const Family& family, Seconds seconds) {
    ops.emplace(name, OpTime{name, std::string(family.name), Seconds(0)}).first->second.seconds += seconds;
  };
  std::vector<Seconds> communicating(program.communications.size());
  for (size_t s = 0; s < program.streams.size(); ++s) {
    const auto& items = program.streams[s].items;
    for (size_t i = 0; i < items.size(); ++i) {
      const auto event = static_cast<size_t>(items[i].event);
      if (items[i].instance < 0) {
        executions[event] += 1;
      } else {
        communicating[event] += timeline.records[s][i].end - timeline.records[s][i].start;
      }
    }
  }
  const auto devices = static_cast<double>(std::max<size_t>(program.devices.size(), 1));
  for (size_t e = 0; e < program.computes.size(); ++e) {
    const stream::Compute& compute = program.computes[e];
    const double times             = executions[e] / devices;
    if (compute.parts.empty()) add(compute.name, family_of_op(compute.name), times * compute.duration);
    for (const stream::Part& part : compute.parts) add(part.name, family_of_op(part.name), times * part.duration);
  }
  for (size_t e = 0; e < program.communications.size(); ++e) {
    add(program.communications[e].name, family_of(program.communications[e]), communicating[e] / devices);
  }

  std::vector<OpTime> sorted;
  for (auto& [name, op] : ops) {
    if (op.seconds > Seconds(0)) sorted.push_back(std::move(op));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const OpTime& a, const OpTime& b) { return a.seconds > b.seconds; });
  return sorted;
}

// What is never executed, such as the wait for a job's start, is no event.
EventCounts count_events(const stream::Program& program) {
  EventCounts counts;
  std::vector<bool> communicates(program.communications.size());
  for (const stream::Instance& instance : program.instances) {
    if (instance.members.empty()) continue;
    ++counts.executed;
    communicates[static_cast<size_t>(instance.communication)] = true;
  }
  counts.distinct =
      static_cast<int64_t>(program.computes.size()) + std::count(communicates.begin(), communicates.end(), true);
  for (const stream::Stream& stream : program.streams) {
    counts.executed += std::count_if(stream.items.begin(), stream.items.end(),
                                     [](const stream::Item& item) { return item.instance < 0; });
  }
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
  const auto devices                   = static_cast<double>(program.devices.size());
  const double time                    = summary.iteration_time.value();
  summary.samples_per_second           = job.samples / time;
  summary.model_rate                   = job.model_flops / summary.iteration_time / devices;
  summary.hardware_rate                = job.hardware_flops / summary.iteration_time / devices;
  summary.tokens_per_second_per_device = job.tokens / time / devices;
  FlopsPerSecond peak;
  for (const stream::DeviceUse& use : program.devices) {
    const std::string& dtype = job.jobs.empty() ? job.dtype : job.jobs[static_cast<size_t>(use.job)].dtype;
    peak += platform.devices()[static_cast<size_t>(use.place)].peak(dtype);
  }
  if (peak > FlopsPerSecond(0)) summary.mfu = devices * summary.model_rate / peak;
}

}  // namespace

Summary summarise(const Job& job, const stream::Program& program, const stream::Timeline& timeline,
                  const platform::Platform& platform) {
  FOREFLOW_CHECK(timeline.records.size() == program.streams.size(), "a timeline has the records of every stream");
  FOREFLOW_CHECK(timeline.links.size() <= platform.links().size(),
                 "a timeline uses links that the platform does not have");
  Summary summary;
  summary.job            = job;
  summary.platform       = platform.name();
  summary.iteration_time = timeline.makespan;
  add_rates(summary, program, platform);

  const auto streams = streams_by_device(program);
  for (size_t d = 0; d < program.devices.size(); ++d) {
    summary.devices.push_back(summarise_device(program, timeline, platform, static_cast<int>(d), streams[d]));
    summary.fits = summary.fits && summary.devices.back().fits;
  }
  summary.links                         = summarise_links(timeline, platform);
  summary.ops                           = time_by_op(program, timeline);
  const std::vector<Seconds> contention = contention_by_instance(program, timeline);
  summary.collectives                   = summarise_collectives(program, timeline, contention);
  summary.critical_path                 = critical_path(program, timeline, contention);
  summary.jobs                          = summarise_jobs(summary, program, timeline);
  summary.events                        = count_events(program);
  if (!timeline.paces.empty()) add_history(summary, program, timeline, platform);
  return summary;
}

}  // namespace foreflow::report
