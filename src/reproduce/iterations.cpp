#include "reproduce/iterations.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "foreflow/scenario/run.h"
#include "reproduce/choices.h"
#include "reproduce/measured_file.h"

namespace foreflow::reproduce {
namespace {

struct Iteration {
  Seconds time;
  Json provenance;
};

// By scenario: rows that differ only in what was measured are simulated once.
using Iterations = std::map<std::string, Iteration>;

const Iteration& iteration_of(const Json& source, const std::string& file, Iterations& known) {
  const auto [found, fresh] = known.try_emplace(source.dump_compact());
  if (fresh) {
    const report::Summary summary = scenario::run(scenario::load(source, file)).summary;
    found->second                 = {summary.iteration_time, summary.job.cost_provenance};
  }
  return found->second;
}

Row predicted(const IterationSet& set, const Published& line, const Question& question, Iterations& known) {
  Json source = question.source;
  std::string name;
  for (const std::string_view column : set.named) name += (name.empty() ? "" : ", ") + line.word(std::string(column));
  for (const auto& [column, key] : set.columns) {
    const double value = line.number(std::string(column));
    set_at(source, key, value);
    name += fmt::format("{}{} {}", name.empty() ? "" : ", ", key.substr(key.find('.') + 1), value);
  }
  if (set.adjust != nullptr) set.adjust(line, source);
  const Iteration& ours = iteration_of(source, question.file, known);
  const double measured =
      set.seconds != nullptr ? set.seconds(line) : line.number(std::string(set.measured)) * set.unit;
  return compare(name, measured, ours.time.value(), Json::object().set("cost_provenance", ours.provenance));
}

}  // namespace

void set_at(Json& json, std::string_view key, double value) {
  const size_t dot = key.find('.');
  json.member(std::string(key.substr(0, dot))).set(std::string(key.substr(dot + 1)), static_cast<int64_t>(value));
}

Result run_iterations(const IterationSet& set, const Options& options) {
  const std::string file(set.file);
  auto lines = read_published(set.is_ours ? options.folder + "/tests/published/" + file
                                          : measured_file(options, "iterations/" + file));
  if (set.counts != nullptr)
    lines.erase(std::remove_if(lines.begin(), lines.end(), [&](const Published& line) { return !set.counts(line); }),
                lines.end());
  const Question scenario = question(options, "reproductions/" + std::string(set.scenario));
  Result result;
  Iterations known;
  for (const Published& line : lines) {
    result.rows.push_back(predicted(set, line, scenario, known));
    if (options.finished) options.finished(result.rows.size(), lines.size());
  }
  result.notes.push_back(bias_note("seconds of an iteration", result));
  return result;
}

}  // namespace foreflow::reproduce
