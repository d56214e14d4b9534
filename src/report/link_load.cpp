#include "report/link_load.h"

#include <algorithm>
#include <map>

#include "foreflow/stream/task.h"

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
  std::map<std::string_view, int> index;
  for (size_t i = 0; i < links.size(); ++i) index.emplace(links[i]->name, static_cast<int>(i));
  std::vector<int> watched;
  for (const platform::Link& link : platform.links()) {
    const auto found = index.find(link.name);
    watched.push_back(found == index.end() ? -1 : found->second);
  }
  return watched;
}

// Bytes that one execution moves over each watched link; the others are left out.
using Bill = std::vector<std::pair<int, Bytes>>;

Bill bill(const stream::Program& program, const stream::Instance& instance, const platform::Platform& platform,
          const std::vector<int>& watched) {
  const stream::Communication& communication = program.communications[static_cast<size_t>(instance.communication)];
  if (communication.fixed >= Seconds(0) || communication.algorithm == nullptr) return {};
  std::vector<int> places;
  for (const int32_t member : instance.members) {
    const stream::Stream& stream = program.streams[static_cast<size_t>(member)];
    places.push_back(program.devices[static_cast<size_t>(stream.device)].place);
  }
  const auto placed =
      stream::place(platform, *communication.algorithm, communication.kind, communication.bytes, places);
  const auto place = [&](int rank) { return placed.places[static_cast<size_t>(rank)]; };
  std::map<int, Bytes> moved;
  for (const auto& phase : collective::usable(*communication.algorithm, placed.task).flows(placed.task).phases) {
    for (const collective::Flow& flow : phase.flows) {
      for (const int link : platform.route(place(flow.from), place(flow.to)).links) {
        const int index = watched[static_cast<size_t>(link)];
        if (index >= 0) moved[index] += flow.share * communication.bytes;
      }
    }
  }
  return {moved.begin(), moved.end()};
}

// The record of each instance, taken from its first member.
std::vector<stream::Record> instance_records(const stream::Program& program, const stream::Timeline& timeline) {
  std::vector<stream::Record> records(program.instances.size());
  for (size_t s = 0; s < program.streams.size(); ++s) {
    const auto& items = program.streams[s].items;
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].instance >= 0) records[static_cast<size_t>(items[i].instance)] = timeline.records[s][i];
    }
  }
  return records;
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
  const std::vector<int> watched            = watch(links, platform);
  const std::vector<stream::Record> records = instance_records(program, timeline);

  std::map<std::pair<int32_t, std::vector<int32_t>>, Bill> bills;
  std::vector<std::vector<Step>> steps(links.size());
  for (size_t i = 0; i < program.instances.size(); ++i) {
    const stream::Instance& instance = program.instances[i];
    const Seconds duration           = records[i].end - records[i].start;
    if (duration <= Seconds(0)) continue;
    const auto [found, fresh] = bills.try_emplace({instance.communication, instance.members});
    if (fresh) found->second = bill(program, instance, platform, watched);
    for (const auto& [link, bytes] : found->second) {
      steps[static_cast<size_t>(link)].push_back({records[i].start, bytes / duration, 1});
      steps[static_cast<size_t>(link)].push_back({records[i].end, -1.0 * (bytes / duration), -1});
    }
  }
  std::vector<LinkLoad> loads;
  for (size_t i = 0; i < links.size(); ++i) {
    if (!steps[i].empty()) loads.push_back({links[i]->name, accumulate(std::move(steps[i]))});
  }
  return loads;
}

}  // namespace foreflow::report
