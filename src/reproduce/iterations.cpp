#include "reproduce/iterations.h"

#include <fmt/core.h>

#include <algorithm>

#include "foreflow/scenario/run.h"
#include "reproduce/choices.h"
#include "reproduce/measured_file.h"

namespace foreflow::reproduce {
namespace {

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

void set_at(Json& json, std::string_view key, double value) {
  const size_t dot = key.find('.');
  json.member(std::string(key.substr(0, dot))).set(std::string(key.substr(dot + 1)), static_cast<int64_t>(value));
}

Result run_iterations(const IterationSet& set, const Options& options) {
  auto lines = read_published(measured_file(options, "iterations/" + std::string(set.file)));
  if (set.counts != nullptr)
    lines.erase(std::remove_if(lines.begin(), lines.end(), [&](const Published& line) { return !set.counts(line); }),
                lines.end());
  const Question scenario = question(options, "reproductions/" + std::string(set.scenario));
  Result result;
  for (const Published& line : lines) {
    result.rows.push_back(predicted(set, line, scenario));
    if (options.finished) options.finished(result.rows.size(), lines.size());
  }
  result.notes.push_back(bias_note("seconds of an iteration", result));
  return result;
}

}  // namespace foreflow::reproduce
