#include "foreflow/execute/predict.h"

#include <algorithm>
#include <cmath>

#include "foreflow/base/nth.h"
#include "foreflow/execute/plan.h"
#include "foreflow/lower/lower.h"
#include "foreflow/platform/load.h"
#include "foreflow/simulate/simulate.h"

namespace foreflow::execute {
namespace {

constexpr uint64_t kDraws       = 9;
constexpr double kMostAmplitude = 0.99;

// On the annotated types if there are no arguments.
interpret::MixedInterpretation interpretation_of(const Task& task) {
  std::vector<interpret::Mixed> types;
  for (const ir::Array& argument : task.arguments) types.push_back(interpret::Mixed::of(argument.type()));
  return interpret::interpret_mixed(task.module, task.module.functions.size() - 1, types);
}

// A communication holds its members from the arrival of the last, and they wait before.
RankTimes times_of(const stream::Program& program, const stream::Timeline& timeline, size_t stream) {
  RankTimes times{program.streams[stream].name, Seconds(0), Seconds(0), Seconds(0)};
  Seconds free;
  for (size_t i = 0; i < program.streams[stream].items.size(); ++i) {
    const stream::Record& record = timeline.records[stream][i];
    const bool computes          = program.streams[stream].items[i].instance < 0;
    (computes ? times.compute : times.communication) += record.end - record.start;
    times.wait += record.start - free;
    free = record.end;
  }
  return times;
}

int devices_of(const interpret::MixedInterpretation& interpretation) {
  int largest = 1;
  for (const interpret::Mixed& value : interpretation.entry().values) {
    largest = std::max(largest, ir::device_of(value.type).index + 1);
    for (const ir::Type& element : value.type.elements) largest = std::max(largest, ir::device_of(element).index + 1);
  }
  return largest;
}

std::vector<Span> spans_of(const stream::Program& program, const stream::Timeline& timeline) {
  std::vector<Span> spans;
  for (size_t stream = 0; stream < program.streams.size(); ++stream) {
    for (size_t i = 0; i < program.streams[stream].items.size(); ++i) {
      const stream::Item& item     = program.streams[stream].items[i];
      const stream::Record& record = timeline.records[stream][i];
      const auto event             = static_cast<size_t>(item.event);
      const bool communicates      = item.instance >= 0;
      spans.push_back({static_cast<int>(stream),
                       communicates ? program.communications[event].name : program.computes[event].name, communicates,
                       record.start, record.end});
    }
  }
  return spans;
}

// The median of each time, over all draws.
Prediction medians(const std::vector<Prediction>& draws) {
  const auto median_of = [&](auto time) {
    std::vector<Seconds> times;
    for (const Prediction& draw : draws) times.push_back(time(draw));
    return cost::median(std::move(times));
  };
  Prediction result;
  result.iteration = median_of([](const Prediction& draw) { return draw.iteration; });
  for (size_t r = 0; r < draws.front().ranks.size(); ++r) {
    result.ranks.push_back({draws.front().ranks[r].device,
                            median_of([&](const Prediction& draw) { return draw.ranks[r].compute; }),
                            median_of([&](const Prediction& draw) { return draw.ranks[r].communication; }),
                            median_of([&](const Prediction& draw) { return draw.ranks[r].wait; })});
  }
  return result;
}

}  // namespace

Prediction predict(const Task& task, const cost::CostModel& cost, double spread) {
  const auto interpretation = interpretation_of(task);
  const auto& topology      = platform::topologies().get("localhost", "predict");
  const auto platform       = platform::make(topology, devices_of(interpretation));
  const auto lowered        = lower::lower(task.module, interpretation, cost, platform);
  const auto program        = lowered.program();
  std::vector<Prediction> draws;
  for (uint64_t seed = 0; seed < (spread > 0 ? kDraws : 1); ++seed) {
    simulate::Options options;
    options.disturbances.jitter = {std::min(kMostAmplitude, std::sqrt(3.0) * spread), seed};
    const auto timeline         = simulate::engines().get("analytic", "predict").run(program, platform, options);
    draws.push_back({timeline.makespan, {}, {}, {}});
    for (size_t stream = 0; stream < program.streams.size(); ++stream)
      draws.back().ranks.push_back(times_of(program, timeline, stream));
    if (seed == 0) draws.back().timeline = spans_of(program, timeline);
  }
  Prediction prediction = medians(draws);
  prediction.timeline   = std::move(draws.front().timeline);
  for (const stream::Stream& stream : program.streams) {
    for (const stream::Item& item : stream.items) {
      if (item.instance >= 0) continue;
      const auto& shares = nth(lowered.provenance, item.event);
      for (size_t p = 0; p < shares.size(); ++p) prediction.provenance[p] += shares[p];
    }
  }
  return prediction;
}

}  // namespace foreflow::execute
