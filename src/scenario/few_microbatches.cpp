#include "scenario/few_microbatches.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "scenario/distribute.h"
#include "scenario/job.h"

namespace foreflow::scenario {
namespace {

// So many microbatches less, or a multiple of it, is a schedule too. Schedules ask for multiples of the devices or of
// two at most.
int step_of(const Strategy& strategy) {
  schedule::Size size = strategy.schedule_size;
  const auto refuse   = strategy.schedule->refuse;
  for (const int step : {1, 2, strategy.pp, 2 * strategy.pp}) {
    if (strategy.microbatches <= step) continue;
    size.microbatches = strategy.microbatches - step;
    if (refuse == nullptr || refuse(size).empty()) return step;
  }
  return strategy.microbatches;
}

// The data of the microbatches that are not run. Nothing when the parameters are not as `split_data` says.
std::optional<std::vector<lower::Input>> left_out(const ir::Function& entry,
                                                  const interpret::MixedInterpretation& types,
                                                  const std::vector<int32_t>& split_data, int run, int microbatches) {
  std::map<std::pair<int32_t, int32_t>, Bytes> found;  // by parameter of the undistributed program, and device
  size_t data = 0;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    if (entry.parameters[i] != ir::ParameterRole::data) continue;
    if (data == split_data.size()) return {};
    const int32_t source = split_data[data++];
    const ir::Type& type = types.entry().values[i].type;
    if (source < 0) continue;
    if (type.is_tuple()) return {};
    found[{source, std::max(ir::device_of(type).index, 1)}] += ir::bytes_of(type);
  }
  if (data != split_data.size()) return {};
  std::vector<lower::Input> inputs;
  for (const auto& [key, bytes] : found)
    inputs.push_back({"data of " + std::to_string(microbatches - run) + " more microbatches", key.second,
                      (bytes / run) * (microbatches - run)});
  return inputs;
}

}  // namespace

int few_microbatches(const Scenario& scenario, const Sequential& sequential) {
  const Strategy& strategy = scenario.strategy;
  if (sequential.placed || strategy.schedule == nullptr || !scenario.simulation.fold || scenario.simulation.observe ||
      scenario.workload.mode != workload::Mode::training)
    return 0;
  // To fill the pipeline and to empty it takes a microbatch a device each; those between must repeat each other.
  const int step = step_of(strategy), least = 2 * strategy.pp + 4 * step;
  const int few = least + (strategy.microbatches - least % step) % step;
  return few + step < strategy.microbatches ? few : 0;
}

Expected<std::optional<lower::Lowered>> try_lower_some(const Scenario& scenario, const Sequential& sequential,
                                                       const platform::Platform& platform, int run,
                                                       const Finished& finished, const Held& held) {
  const auto tell = [&](size_t step) {
    if (finished) finished(step);
  };
  auto places = try_places(scenario, platform, held);
  if (!places) return places.refusal();
  const auto distributed = try_distribute_alike(sequential, scenario, platform, run);
  if (!distributed) return distributed.refusal();
  const ir::Module& module = distributed->module;
  tell(1);
  const interpret::MixedInterpretation interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  tell(2);
  lower::Options options = scenario.collectives;
  options.places         = *std::move(places);
  if (run > 0) {
    auto inputs =
        left_out(module.entry(), interpretation, distributed->split_data, run, scenario.strategy.microbatches);
    if (!inputs) return std::optional<lower::Lowered>();
    options.inputs = *std::move(inputs);
  }
  std::optional<lower::Lowered> lowered =
      lower::lower_replicas(module, interpretation, scenario.cost, platform, distributed->replicas, options);
  tell(3);
  return lowered;
}

Expected<std::optional<Prediction>> try_predict_from_few(int few, const Scenario& scenario,
                                                         const Sequential& sequential,
                                                         const platform::Platform& platform) {
  const auto lowered = try_lower_some(scenario, sequential, platform, few);
  if (!lowered) return lowered.refusal();
  if (!*lowered) return std::optional<Prediction>();
  const int all = scenario.strategy.microbatches;
  auto found    = scenario.engine->run((*lowered)->compact, {few, all}, platform, scenario.simulation);
  if (!found) return std::optional<Prediction>();
  if (!found->run) {
    const auto more = static_cast<int>((all - few) % found->at_once);
    if (more % step_of(scenario.strategy) != 0 || few + more >= all) return std::optional<Prediction>();
    return try_predict_from_few(few + more, scenario, sequential, platform);
  }
  const report::Job job = describe(scenario, sequential, **lowered, found->executions);
  auto summary          = report::summarise(job, found->run->program, found->run->timeline, platform);
  if (found->longer) {
    const auto longer = report::summarise(job, found->longer->program, found->longer->timeline, platform);
    auto all          = report::after_periods(summary, longer, found->periods);
    if (!all) return std::optional<Prediction>();
    summary = *std::move(all);
  }
  return std::optional<Prediction>(
      Prediction{std::move(found->run->program), std::move(found->run->timeline), std::move(summary)});
}

}  // namespace foreflow::scenario
