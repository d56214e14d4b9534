#include "cli/run_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace foreflow::cli {
namespace {

Json to_json(const std::vector<execute::RankTimes>& ranks) {
  Json all = Json::array();
  for (const execute::RankTimes& rank : ranks) {
    Json row = Json::object();
    row.set("device", rank.device).set("compute_s", rank.compute.value());
    row.set("communication_s", rank.communication.value()).set("wait_s", rank.wait.value());
    all.push(std::move(row));
  }
  return all;
}

std::string row_of(const std::string& what, Seconds predicted, Seconds measured) {
  const std::string error = measured > Seconds(0) ? fmt::format("{:+.1f} %", (predicted / measured - 1) * 100) : "";
  return fmt::format("  {:<20}{:>12}{:>12}{:>11}\n", what, format(predicted), format(measured), error);
}

}  // namespace

void add_times(const execute::Execution& execution, Json& json, std::string& text) {
  const Seconds median = cost::median(execution.iterations);
  const Seconds least  = *std::min_element(execution.iterations.begin(), execution.iterations.end());
  json.set("iterations", execution.iterations.size());
  json.set("iteration_time_s", median.value()).set("iteration_time_min_s", least.value());
  json.set("ranks", to_json(execution.ranks));
  const size_t count = execution.iterations.size();
  text += fmt::format("\n{} iteration{}: median {}, least {}\n", count, count == 1 ? "" : "s", format(median),
                      format(least));
  if (execution.ranks.empty()) return;
  text += fmt::format("  {:<8}{:>12}{:>15}{:>12}\n", "", "compute", "communication", "wait");
  for (const execute::RankTimes& rank : execution.ranks) {
    text += fmt::format("  {:<8}{:>12}{:>15}{:>12}\n", rank.device, format(rank.compute), format(rank.communication),
                        format(rank.wait));
  }
}

void add_prediction(const execute::Prediction& prediction, const execute::Execution& execution, Json& json,
                    std::string& text) {
  const Seconds measured = cost::median(execution.iterations);
  text += fmt::format("\n  {:<20}{:>12}{:>12}{:>11}\n", "", "predicted", "measured", "error");
  text += row_of("iteration", prediction.iteration, measured);
  for (const execute::RankTimes& rank : execution.ranks) {
    const auto found = std::find_if(prediction.ranks.begin(), prediction.ranks.end(),
                                    [&](const execute::RankTimes& other) { return other.device == rank.device; });
    if (found == prediction.ranks.end()) continue;
    text += row_of(rank.device + " compute", found->compute, rank.compute);
    text += row_of(rank.device + " communication", found->communication, rank.communication);
  }
  Json shares         = Json::object();
  const Seconds total = std::accumulate(prediction.provenance.begin(), prediction.provenance.end(), Seconds(0));
  std::string priced;
  for (size_t p = 0; p < prediction.provenance.size(); ++p) {
    const auto name    = cost::name(static_cast<cost::Provenance>(p));
    const double share = total > Seconds(0) ? prediction.provenance[p] / total : 0.0;
    shares.set(name, share);
    if (share > 0) priced += fmt::format("{}{} {:.1f} %", priced.empty() ? "" : ", ", name, share * 100);
  }
  text += "  compute priced by " + priced + "\n";
  Json predicted = Json::object();
  predicted.set("iteration_time_s", prediction.iteration.value());
  predicted.set("relative_error", prediction.iteration / measured - 1);
  predicted.set("ranks", to_json(prediction.ranks)).set("cost_provenance", std::move(shares));
  json.set("predicted", std::move(predicted));
}

}  // namespace foreflow::cli
