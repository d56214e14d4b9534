#include "foreflow/execute/compare.h"

#include <algorithm>
#include <map>

#include "foreflow/base/json.h"

namespace foreflow::execute {
namespace {

struct Sums {
  Seconds measured, predicted;
};

std::map<std::string, Sums> by_op(const cost::Calibration& calibration, const Execution& run) {
  std::map<std::string, Sums> sums;
  for (const cost::Measurement& row : run.measurements) {
    const bool computes = row.kind == cost::Measurement::Kind::compute;
    const auto price    = cost::price(calibration, {row.op, row.dtype, row.signature, row.ranks, row.flops,
                                                 computes ? row.read + row.written : row.message});
    if (!price) continue;
    const double times = static_cast<double>(row.count) / static_cast<double>(run.iterations.size());
    Sums& sum          = sums[row.op];
    sum.measured += row.time * times;
    sum.predicted += price->time * times;
  }
  return sums;
}

void add_spans(Json& events, const std::vector<Span>& spans, const std::vector<RankTimes>& ranks,
               const std::string& which, int first) {
  constexpr double kMicro = 1e6;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    Json name = Json::object();
    name.set("name", "process_name").set("ph", "M").set("pid", first + static_cast<int>(2 * rank));
    events.push(name.set("args", Json::object().set("name", ranks[rank].device + " " + which)));
  }
  for (const Span& span : spans) {
    Json event = Json::object();
    event.set("name", span.what).set("cat", span.communicates ? "communication" : "compute").set("ph", "X");
    event.set("pid", first + 2 * span.rank).set("tid", 0);
    events.push(event.set("ts", span.start.value() * kMicro).set("dur", (span.end - span.start).value() * kMicro));
  }
}

}  // namespace

std::vector<Compared> compare(const Prediction& prediction, const cost::Calibration& calibration,
                              const Execution& whole, const Execution& detailed) {
  std::vector<Compared> rows{{"iteration", cost::median(whole.iterations), prediction.iteration}};
  for (const RankTimes& measured : detailed.ranks) {
    const auto predicted = std::find_if(prediction.ranks.begin(), prediction.ranks.end(),
                                        [&](const RankTimes& other) { return other.device == measured.device; });
    if (predicted == prediction.ranks.end()) continue;
    rows.push_back({measured.device + " compute", measured.compute, predicted->compute});
    rows.push_back({measured.device + " communication", measured.communication, predicted->communication});
    rows.push_back({measured.device + " wait", measured.wait, predicted->wait});
  }
  for (const auto& [op, sum] : by_op(calibration, detailed)) rows.push_back({op, sum.measured, sum.predicted});
  std::erase_if(rows, [](const Compared& row) { return row.measured <= Seconds(0); });
  return rows;
}

std::string trace(const Prediction& prediction, const Execution& detailed) {
  Json events = Json::array();
  add_spans(events, detailed.timeline, detailed.ranks, "measured", 0);
  add_spans(events, prediction.timeline, prediction.ranks, "predicted", 1);
  return Json::object().set("displayTimeUnit", "ms").set("traceEvents", std::move(events)).dump_compact() + "\n";
}

}  // namespace foreflow::execute
