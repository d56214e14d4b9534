#include "reproduce/layers.h"

#include <algorithm>
#include <map>

#include "foreflow/scenario/run.h"
#include "reproduce/choices.h"
#include "reproduce/measured_file.h"

namespace foreflow::reproduce {
namespace {

PassTimes passes_of(const std::vector<int>& stages, const Json& source, const std::string& file) {
  const scenario::Outcome outcome = scenario::run(scenario::load(source, file));
  PassTimes sum;
  for (const int stage : stages) {
    const PassTimes one = passes_of_stage(outcome, stage);
    sum.forward += one.forward, sum.backward += one.backward, sum.weights += one.weights;
    sum.kept += one.kept;
  }
  return sum;
}

}  // namespace

Result run_layers(const LayerSet& set, const Options& options) {
  auto lines = read_published(measured_file(options, "layers/" + std::string(set.file)));
  if (set.counts != nullptr) std::erase_if(lines, [&](const Published& line) { return !set.counts(line); });
  const Question asked = question(options, "reproductions/" + std::string(set.scenario));
  std::map<std::string, PassTimes> known;  // by scenario: rows repeat
  Result result;
  for (const Published& line : lines) {
    Json source = asked.source;
    set.adjust(line, source);
    const auto [times, is_new] = known.try_emplace(source.dump_compact());
    if (is_new) times->second = passes_of(set.stages, source, asked.file);
    for (const LayerSet::Pass& pass : set.passes) {
      const double measured = line.number(std::string(pass.column)) * set.unit;
      result.rows.push_back(
          compare(set.name(line) + ": " + std::string(pass.name), measured, (times->second.*pass.time).value()));
    }
    if (options.finished) options.finished(result.rows.size(), lines.size() * set.passes.size());
  }
  result.notes.push_back(bias_note("seconds of a pass", result));
  return result;
}

}  // namespace foreflow::reproduce
