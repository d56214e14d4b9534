#include "foreflow/search/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "foreflow/base/process.h"

namespace foreflow::search {
namespace {

struct Point {
  Json strategy;
  std::optional<scenario::Scenario> scenario;  // nothing: it is not legal
  std::string why;
};

// A complaint about the strategy is an answer here; any other is the user's mistake.
bool is_about_strategy(const Error& error, const std::string& file) {
  return error.where().starts_with(file + ": $.strategy");
}

std::string reason(const Error& error, const std::string& file) {
  const std::string prefix = file + ": $.strategy";
  if (!error.where().starts_with(prefix)) return error.what();
  const std::string key = error.where().substr(prefix.size());  // "" or ".tp"
  return key.empty() ? error.problem() : key.substr(1) + ": " + error.problem();
}

Point read_point(const Json& source, const std::string& file, const Json& strategy, const platform::Platform& platform,
                 const Options& options) {
  Point point{strategy, std::nullopt, ""};
  try {
    scenario::Scenario scenario = scenario::load(Json(source).set("strategy", strategy), file);
    scenario::check_devices(scenario, platform);
    if (options.engine != nullptr) scenario.engine = options.engine;
    point.scenario = std::move(scenario);
  } catch (const Error& error) {
    if (!is_about_strategy(error, file)) throw;
    point.why = reason(error, file);
  }
  return point;
}

Json strategy_json(const scenario::Strategy& strategy) {
  Json json;
  json.set("dp", strategy.dp).set("tp", strategy.tp).set("pp", strategy.pp).set("microbatches", strategy.microbatches);
  if (strategy.global_batch > 0) json.set("global_batch", strategy.global_batch);
  json.set("schedule", strategy.schedule->name);
  return json;
}

std::string too_large(const report::DeviceSummary& device) {
  return fmt::format("does not fit in memory: {} needs {} of {}", device.name, format(device.peak_memory),
                     format(device.capacity));
}

const report::DeviceSummary& fullest(const report::Summary& summary) {
  return *std::max_element(summary.devices.begin(), summary.devices.end(),
                           [](const auto& a, const auto& b) { return a.peak_memory < b.peak_memory; });
}

// What a child answers, as one line of JSON.
std::string predict(const Point& point, const scenario::Sequential& sequential, const scenario::PlatformRef& platform) {
  Json answer;
  try {
    const report::Summary summary = scenario::run(*point.scenario, sequential, platform).summary;
    for (const report::DeviceSummary& device : summary.devices) {
      if (!device.fits) return answer.set("why", too_large(device)).dump_compact();
    }
    answer.set("time", summary.iteration_time.value());
    answer.set("throughput", summary.samples_per_second);
    answer.set("memory", fullest(summary).peak_memory.value());
  } catch (const Error& error) {
    answer.set("why", reason(error, point.scenario->file));
  }
  return answer.dump_compact();
}

// The part of the chain before distribution, once for each global batch.
std::map<int64_t, scenario::Sequential> build_all(const std::vector<const Point*>& legal) {
  std::map<int64_t, scenario::Sequential> built;
  for (const Point* point : legal) {
    const int64_t batch = point->scenario->strategy.global_batch;
    if (!built.contains(batch)) built.emplace(batch, scenario::build(*point->scenario));
  }
  return built;
}

std::vector<Candidate> pareto_of(const std::vector<Candidate>& ranked) {
  std::vector<Candidate> front;
  for (const Candidate& candidate : ranked) {
    if (front.empty() || candidate.peak_memory < front.back().peak_memory) front.push_back(candidate);
  }
  return front;
}

void add_answer(Result& result, const Point& point, const JsonView& answer) {
  if (answer.has("why")) {
    result.infeasible.push_back({point.strategy, answer.at("why").as_string()});
    return;
  }
  result.ranked.push_back({strategy_json(point.scenario->strategy), Seconds(answer.at("time").as_number()),
                           answer.at("throughput").as_number(), Bytes(answer.at("memory").as_number())});
}

// The platform is no axis; the scenario that says so has no strategy that could be wrong.
scenario::PlatformRef platform_of(const Json& source, const std::string& file) {
  const scenario::Scenario scenario = scenario::load(Json(source).set("strategy", Json::object()), file);
  scenario::check_one_job(scenario);
  return scenario::load_platform(scenario.platform);
}

}  // namespace

Result search(const Json& source, const std::string& file, const Options& options) {
  const scenario::PlatformRef platform = platform_of(source, file);
  std::vector<Point> points;
  for (const Json& strategy : space(source, file, static_cast<int64_t>(platform->devices().size()))) {
    points.push_back(read_point(source, file, strategy, *platform, options));
  }
  std::vector<const Point*> legal;
  for (const Point& point : points) {
    if (point.scenario) legal.push_back(&point);
  }
  const auto built   = build_all(legal);
  const auto answers = map_in_children(
      legal.size(), options.jobs,
      [&](size_t i) { return predict(*legal[i], built.at(legal[i]->scenario->strategy.global_batch), platform); },
      [&](size_t done) {
        if (options.finished) options.finished(done, legal.size());
      });

  Result result;
  result.evaluated = legal.size();
  for (const Point& point : points) {
    if (!point.scenario) result.infeasible.push_back({point.strategy, point.why});
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    const Json answer = parse_json(answers[i], file);
    add_answer(result, *legal[i], JsonView(answer, file));
  }
  std::stable_sort(result.ranked.begin(), result.ranked.end(),
                   [](const Candidate& a, const Candidate& b) { return a.samples_per_second > b.samples_per_second; });
  result.pareto = pareto_of(result.ranked);
  return result;
}

}  // namespace foreflow::search
