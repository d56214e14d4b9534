// The result of `simulate --json`: the keys are the public contract.
#include "foreflow/base/json.h"

#include <algorithm>

#include "foreflow/report/memory.h"
#include "foreflow/report/writer.h"
#include "report/digest.h"
#include "report/json_parts.h"

namespace foreflow::report {
namespace {

Json peaks_json(const Summary& summary, const std::vector<MemoryPeak>& peaks, const DeviceChoice& choice) {
  constexpr size_t kShown = 20;
  Json all                = Json::array();
  for (const MemoryPeak& peak : peaks) {
    Json alive = Json::array();
    for (size_t i = 0; i < std::min(peak.alive.size(), kShown); ++i) {
      Json row = Json::object();
      row.set("name", peak.alive[i].name);
      row.set("class", stream::name(peak.alive[i].kind));
      row.set("bytes", whole_bytes(peak.alive[i].size));
      row.set("count", peak.alive[i].count);
      alive.push(std::move(row));
    }
    Json row = Json::object();
    row.set("devices", names_json(summary, {peak.devices.begin(), peak.devices.end()}, choice));
    row.set("time_s", peak.time.value());
    row.set("bytes", whole_bytes(peak.size));
    row.set("memory", classes_json(peak.classes));
    row.set("alive", std::move(alive));
    if (peak.host > Bytes(0)) row.set("host_bytes", whole_bytes(peak.host));
    if (peak.allocator) {
      Json use = Json::object();
      use.set("requested_bytes", whole_bytes(peak.allocator->requested));
      use.set("allocated_bytes", whole_bytes(peak.allocator->allocated));
      use.set("reserved_bytes", whole_bytes(peak.allocator->reserved));
      use.set("overhead_bytes", whole_bytes(peak.allocator->overhead()));
      row.set("allocator", std::move(use));
    }
    all.push(std::move(row));
  }
  return all;
}

Json jobs_json(const Summary& summary) {
  Json all = Json::array();
  for (const JobSummary& job : summary.jobs) {
    Json row = Json::object();
    row.set("name", job.job.name);
    row.set("placement", job.job.placement);
    row.set("start_s", job.job.start.value());
    row.set("iterations", job.job.iterations);
    row.set("alone_s", job.job.alone.value());
    row.set("together_s", job.together.value());
    row.set("slowdown", job.slowdown);
    row.set("iteration_time_s", job.together.value() / job.job.iterations);
    row.set("throughput_samples_per_s", job.samples_per_second);
    row.set("fits", job.fits);
    all.push(std::move(row));
  }
  return all;
}

Json collectives_json(const Summary& summary) {
  const auto share = [](Seconds part, Seconds whole) { return whole > Seconds(0) ? part / whole : 0.0; };
  Json all         = Json::array();
  for (const CollectiveSummary& collective : summary.collectives) {
    Json row = Json::object();
    row.set("name", collective.name);
    row.set("kind", collective.kind);
    row.set("algorithm", collective.algorithm);
    row.set("ranks", collective.ranks);
    row.set("bytes", whole_bytes(collective.bytes));
    row.set("count", collective.count);
    row.set("time_s", collective.time.value());
    row.set("algbw_bytes_per_s", collective.algbw.value());
    row.set("busbw_bytes_per_s", collective.busbw.value());
    row.set("contention_share", share(collective.contention, collective.time));
    row.set("waiting_share", share(collective.waiting, collective.waiting + collective.time));
    row.set("waited_for", collective.late);
    all.push(std::move(row));
  }
  return all;
}

Json ops_json(const Summary& summary) {
  Json all = Json::array();
  for (const OpTime& op : summary.ops) {
    Json row = Json::object();
    row.set("name", op.name);
    row.set("family", op.family);
    row.set("time_s", op.seconds.value());
    all.push(std::move(row));
  }
  return all;
}

Json path_json(const Summary& summary) {
  Json all = Json::array();
  for (const Segment& segment : summary.critical_path) {
    Json row = Json::object();
    row.set("device", segment.device);
    row.set("what", segment.what);
    row.set("time_s", segment.seconds.value());
    row.set("count", segment.count);
    row.set("contention_s", segment.contention.value());
    all.push(std::move(row));
  }
  return all;
}

std::string write_json(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                       const platform::Platform& platform) {
  return to_json(summary, program, platform, memory_peaks(summary, program, timeline)).dump();
}

}  // namespace

namespace {

Json texts(const std::vector<std::string>& lines) {
  Json list = Json::array();
  for (const std::string& line : lines) list.push(line);
  return list;
}

Json idle_json(const Idle& idle) {
  const auto part = [](int64_t some, int64_t of) { return Json::object().set("idle", some).set("of", of); };
  return Json::object()
      .set("devices", part(idle.devices, idle.of_devices))
      .set("cards", part(idle.cards, idle.of_cards))
      .set("links", part(idle.links, idle.of_links));
}

}  // namespace

Json to_json(const Summary& summary, const stream::Program& program, const platform::Platform& platform,
             const std::vector<MemoryPeak>& peaks, const DeviceChoice& choice) {
  Json events = Json::object();
  events.set("distinct", summary.events.distinct);
  events.set("executed", summary.events.executed);

  Json out = Json::object();
  out.set("scenario", summary.job.scenario_echo);
  out.set("engine", summary.job.engine);
  if (summary.job.parameters > 0) out.set("model_parameters", summary.job.parameters);
  out.set("model_flops", summary.job.model_flops.value());
  out.set("iteration_time_s", summary.iteration_time.value());
  Json interval = Json::array();
  interval.push(summary.interval.low.value());
  interval.push(summary.interval.high.value());
  out.set("iteration_time_interval_s", std::move(interval));
  out.set("throughput_samples_per_s", summary.samples_per_second);
  out.set("tokens_per_s_per_device", summary.tokens_per_second_per_device);
  out.set("model_flops_per_s_per_device", summary.model_rate.value());
  out.set("hardware_flops_per_s_per_device", summary.hardware_rate.value());
  out.set("mfu", summary.mfu);
  out.set("fits", summary.fits);
  out.set("placement", summary.job.placement);
  if (!summary.jobs.empty()) out.set("jobs", jobs_json(summary));
  out.set("devices", devices_json(summary, program, platform, peaks, choice));
  if (!peaks.empty()) out.set("memory_peaks", peaks_json(summary, peaks, choice));
  out.set("links", links_json(summary, platform, choice));
  if (const auto needed = needed_by_links(summary)) out.set("links_need_s", needed->value());
  out.set("collectives", collectives_json(summary));
  out.set("ops", ops_json(summary));
  out.set("critical_path", path_json(summary));
  out.set("cost_provenance", summary.job.cost_provenance);
  out.set("message_provenance", message_provenance(summary));
  out.set("events", std::move(events));
  out.set("idle", idle_json(summary.idle));
  if (!summary.assumed.empty()) out.set("assumed", texts(summary.assumed));
  if (!summary.ignored.empty()) out.set("not_honoured", texts(summary.ignored));
  return out;
}

namespace definitions::json {
WriterDef row() { return {"json", "every figure, for machines", write_json}; }
}  // namespace definitions::json

}  // namespace foreflow::report
