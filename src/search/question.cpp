#include "search/question.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "search/framework_keys.h"
#include "search/goal.h"
#include "search/prices.h"

namespace foreflow::search {
namespace {

std::vector<Cluster> with_engine(std::vector<Cluster> clusters, const simulate::EngineDef* engine) {
  for (Cluster& cluster : clusters) {
    if (engine != nullptr) cluster.base.engine = engine;
    // A search asks how much memory is in use, not by what. An allocator has to know.
    cluster.base.collectives.storage = cluster.base.allocator != "exact";
  }
  return clusters;
}

// The workload, and so its file, is the same on all clusters.
std::vector<Cluster> with_samples(std::vector<Cluster> clusters) {
  const scenario::Scenario& base = clusters.front().base;
  if (base.workload.source == scenario::Workload::Source::family) return clusters;
  const int64_t samples = scenario::samples_of(base);
  for (Cluster& cluster : clusters) cluster.samples_of_file = samples;
  return clusters;
}

// In words, with the key of the strategy that it belongs to.
std::string in_words(const Refusal& refusal) {
  if (!refusal.key.empty()) return refusal.key + ": " + refusal.why;
  const bool of_strategy = refusal.cause == Cause::value || refusal.cause == Cause::devices;
  return of_strategy ? refusal.why : sentence(refusal);
}

// As the scenario understood it, then what else the point says.
Json strategy_json(const ReadPoint& point) {
  const scenario::Strategy& strategy = point.scenario->strategy;
  Json json;
  json.set("dp", strategy.dp).set("tp", strategy.tp).set("pp", strategy.pp).set("microbatches", strategy.microbatches);
  if (strategy.global_batch > 0) json.set("global_batch", strategy.global_batch);
  json.set("schedule", strategy.schedule->name);
  for (const auto& [key, value] : *point.scenario->source.find("strategy")->if_object()) {
    if (json.find(key) == nullptr && key != "microbatch_size") json.set(key, value);
  }
  return json;
}

}  // namespace

Question::Question(const Json& source, const std::string& file, const Options& options)
    : framework_(scenario::framework_of(source, file)),
      clusters_(with_samples(with_prices(with_engine(clusters_of(source, file), options.engine), options.goal))),
      worlds_(take_worlds(clusters_, options)),
      least_factor_(search::least_factor(worlds_)),
      goal_(settled(options.goal, clusters_.front().base)),
      space_(source, file, clusters_),
      kept_(std::make_shared<Kept>(source, file, worlds_, options)) {}

ReadPoint Question::read(const Json& point) const {
  const Cluster& cluster = clusters_[space_.cluster(point)];
  Json strategy = strategy_of(point), placement = space_.placement(point);
  if (!framework_)
    return {point, &cluster,
            scenario::with_strategy(cluster.base, std::move(strategy), std::move(placement), *cluster.platform)};
  const Json parts = completed_by_framework(cluster.asked, *framework_, std::move(strategy), std::move(placement));
  return {point, &cluster, scenario::with_parts(cluster.base, parts, *cluster.platform)};
}

Expected<scenario::Scenario> Question::read(const Candidate& candidate) const {
  Json point = candidate.strategy;
  if (!candidate.placement.is_null()) point.set("placement", candidate.placement);
  if (!candidate.platform.is_null()) point.set("platform", candidate.platform);
  return read(point).scenario;
}

double Question::most_samples_per_second(const ReadPoint& point, Seconds least_time) const {
  const Seconds time = least_factor_ * least_time;
  if (time <= Seconds(0)) return std::numeric_limits<double>::infinity();
  return static_cast<double>(point.samples()) / time.value();
}

Bytes largest_memory(const platform::Platform& platform) {
  Bytes most;
  for (const platform::Device& device : platform.devices().kinds()) most = std::max(most, device.memory);
  return most;
}

std::string reason_of(const Refusal& refusal) {
  const bool too_large = refusal.cause == Cause::memory && refusal.key.empty();
  return too_large ? "does not fit in memory" : in_words(refusal);
}

void list_infeasible(Result& result, const Json& point, Refusal refusal) {
  if (result.infeasible.size() >= kMostListed) return;
  std::string why = in_words(refusal);
  result.infeasible.push_back(
      {strategy_of(point), placement_of(point), platform_of(point), std::move(refusal), std::move(why)});
}

void add_infeasible(Result& result, const Json& point, Refusal refusal) {
  ++result.refused;
  ++result.reasons[reason_of(refusal)];
  list_infeasible(result, point, std::move(refusal));
}

std::optional<Refusal> too_slow(const Terms& terms, double samples_per_second) {
  if (samples_per_second >= terms.at_least) return std::nullopt;
  return Refusal(Cause::run, "", fmt::format("is slower than {:g} samples/s", terms.at_least));
}

Prediction admitted(Prediction prediction, const Terms& terms) {
  if (!prediction.refusal) prediction.refusal = too_slow(terms, prediction.samples_per_second);
  return prediction;
}

Figures figures_of(const Prediction& prediction, const ReadPoint& point) {
  return {prediction.samples_per_second, prediction.memory, point.scenario->strategy.devices(),
          mean_price(*point.cluster, *point.scenario)};
}

Candidate candidate(const ReadPoint& point, const Prediction& prediction) {
  return {.strategy           = strategy_json(point),
          .placement          = placement_of(point.point),
          .platform           = platform_of(point.point),
          .iteration_time     = prediction.time,
          .samples_per_second = prediction.samples_per_second,
          .peak_memory        = prediction.memory,
          .spread             = prediction.spread,
          .devices            = point.scenario->strategy.devices(),
          .price              = mean_price(*point.cluster, *point.scenario)};
}

void add(Result& result, const ReadPoint& point, const Prediction& prediction) {
  if (prediction.predicted) ++result.evaluated;
  if (prediction.refusal) {
    add_infeasible(result, point.point, *prediction.refusal);
  } else {
    result.ranked.push_back(candidate(point, prediction));
  }
}

}  // namespace foreflow::search
