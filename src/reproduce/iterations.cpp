#include "reproduce/iterations.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "foreflow/base/error.h"
#include "foreflow/scenario/run.h"
#include "reproduce/choices.h"

namespace foreflow::reproduce {
namespace {

// $FOREFLOW_SHARED, or `shared` beside the source tree.
std::string measurements(const Options& options, std::string_view file) {
  const char* const chosen          = std::getenv("FOREFLOW_SHARED");
  const std::filesystem::path there = chosen != nullptr
                                          ? std::filesystem::path(chosen)
                                          : std::filesystem::weakly_canonical(options.folder).parent_path() / "shared";
  const std::filesystem::path path  = there / "data" / "iterations" / file;
  if (!std::filesystem::exists(path))
    throw Error(path.string(),
                "the measurements are not there; FOREFLOW_SHARED names the folder that has data/iterations");
  return path.string();
}

// "strategy.tp" is a member of a member.
void set_at(Json& json, std::string_view key, double value) {
  const size_t dot = key.find('.');
  json.member(std::string(key.substr(0, dot))).set(std::string(key.substr(dot + 1)), static_cast<int64_t>(value));
}

Row predicted(const IterationSet& set, const Published& line, const Question& question) {
  Json source = question.source;
  std::string name;
  for (const auto& [column, key] : set.columns) {
    const double value = line.number(std::string(column));
    set_at(source, key, value);
    name += fmt::format("{}{} {}", name.empty() ? "" : ", ", key.substr(key.find('.') + 1), value);
  }
  if (set.adjust != nullptr) set.adjust(line, source);
  const auto outcome = scenario::run(scenario::load(source, question.file));
  const double measured =
      set.seconds != nullptr ? set.seconds(line) : line.number(std::string(set.measured)) * set.unit;
  return compare(name, measured, outcome.summary.iteration_time.value(),
                 Json::object().set("cost_provenance", outcome.summary.job.cost_provenance));
}

}  // namespace

Result run_iterations(const IterationSet& set, const Options& options) {
  auto lines = read_published(measurements(options, set.file));
  if (set.counts != nullptr)
    lines.erase(std::remove_if(lines.begin(), lines.end(), [&](const Published& line) { return !set.counts(line); }),
                lines.end());
  const Question scenario = question(options, "reproductions/" + std::string(set.scenario));
  Result result;
  double bias = 0;
  for (const Published& line : lines) {
    result.rows.push_back(predicted(set, line, scenario));
    bias += *result.rows.back().relative_error;
    if (options.finished) options.finished(result.rows.size(), lines.size());
  }
  result.notes.push_back(fmt::format("seconds of an iteration; mean of the signed errors {:+.1f} %",
                                     100 * bias / static_cast<double>(lines.size())));
  return result;
}

}  // namespace foreflow::reproduce
