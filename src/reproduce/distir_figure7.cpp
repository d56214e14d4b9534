// How the time to simulate a distributed GPT-2 grows with the ops of its program. The paper measured its own simulator;
// here the number of ops that the devices execute, and with --timing the time that all of the chain takes.
#include <fmt/core.h>

#include <chrono>

#include "foreflow/base/nth.h"
#include "reproduce/distir.h"
#include "reproduce/statistics.h"

namespace foreflow::reproduce::definitions::distir_figure7 {
namespace {

struct Point {
  int dp, tp, pp, microbatches;
};
// From a few thousand ops to a million.
constexpr std::array kPoints = {Point{1, 1, 1, 1},  Point{4, 1, 1, 1},  Point{16, 1, 1, 1}, Point{1, 4, 1, 1},
                                Point{1, 8, 1, 1},  Point{4, 1, 4, 4},  Point{2, 2, 4, 8},  Point{2, 4, 2, 16},
                                Point{4, 1, 4, 32}, Point{2, 1, 8, 64}, Point{1, 4, 4, 64}, Point{2, 2, 4, 128}};
constexpr std::array kModels = {"GPT-2 1.6B", "GPT-2 13B", "GPT-2 175B"};
constexpr int kBatch         = 1024;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Ops that take time, and communications, as often as each device runs them.
double count_ops(const stream::Program& program) {
  size_t count = 0;
  for (const stream::Stream& stream : program.streams) {
    for (const stream::Item& item : stream.items)
      count += item.instance < 0 ? nth(program.computes, item.event).parts.size() : 1;
  }
  return static_cast<double>(count);
}

Result run(const Options& options) {
  Result result;
  std::vector<double> ops, seconds;
  for (const char* model : kModels) {
    Question question = distir::space_of(options, model, "distir_figure7");
    set_strategy(question, "global_batch", kBatch);
    const Json::Array regions                = *question.source.find("strategy")->if_array();
    std::optional<scenario::Sequential> base = {};  // is the same for all strategies
    for (const auto& [dp, tp, pp, microbatches] : kPoints) {
      Json strategy = regions.front();
      strategy.set("dp", dp).set("tp", tp).set("pp", pp).set("microbatches", microbatches);
      const auto scenario = scenario::load(Json(question.source).set("strategy", strategy), question.file);
      const auto platform = scenario::load_platform(scenario.platform);
      if (!base) base = scenario::build(scenario);
      const auto start   = std::chrono::steady_clock::now();
      const auto outcome = scenario::run(scenario, *base, platform);
      seconds.push_back(seconds_since(start));
      ops.push_back(count_ops(outcome.program));
      Row row{fmt::format("{} {}: ops", model, words_of(strategy)), {}, ops.back(), {}, {}};
      if (options.timing) row.more.set("wall_time_s", seconds.back());
      result.rows.push_back(std::move(row));
      if (options.finished) options.finished(ops.size(), kPoints.size() * kModels.size());
    }
  }
  result.notes.push_back("the time follows what is distinct in a program, so it grows more slowly than its ops");
  if (options.timing)
    result.notes.push_back(fmt::format("correlation of ops and wall time {:.3f}", pearson(ops, seconds)));
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"distir_figure7", "ops of distributed GPT-2 programs, and with --timing the time to simulate each",
          distir::kPaper, run};
}

}  // namespace foreflow::reproduce::definitions::distir_figure7
