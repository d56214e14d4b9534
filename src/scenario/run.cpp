#include "foreflow/scenario/run.h"

#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

// How often each compute event is executed.
std::vector<int64_t> executions(const stream::Program& program) {
  std::vector<int64_t> counts(program.computes.size());
  for (const stream::Stream& stream : program.streams) {
    for (const stream::Item& item : stream.items) {
      if (item.instance < 0) ++counts[static_cast<size_t>(item.event)];
    }
  }
  return counts;
}

Flops hardware_flops(const stream::Program& program) {
  const std::vector<int64_t> counts = executions(program);
  Flops total;
  for (size_t e = 0; e < counts.size(); ++e) total += static_cast<double>(counts[e]) * program.computes[e].flops;
  return total;
}

// The share of the compute time of all devices that each kind of price accounts for.
Json provenance_shares(const lower::Lowered& lowered) {
  const std::vector<int64_t> counts = executions(lowered.program);
  std::array<Seconds, cost::kProvenances> seconds{};
  Seconds total;
  for (size_t e = 0; e < counts.size(); ++e) {
    for (size_t p = 0; p < seconds.size(); ++p) {
      const Seconds part = static_cast<double>(counts[e]) * lowered.provenance[e][p];
      seconds[p] += part;
      total += part;
    }
  }
  Json shares = Json::object();
  for (size_t p = 0; p < seconds.size(); ++p) {
    shares.set(cost::name(static_cast<cost::Provenance>(p)), total > Seconds(0) ? seconds[p] / total : 0.0);
  }
  return shares;
}

report::Job job_of(const Scenario& scenario, const Sequential& sequential, const lower::Lowered& lowered) {
  report::Job job;
  job.name            = scenario.name;
  job.engine          = scenario.engine->name;
  job.samples         = static_cast<double>(sequential.samples);
  job.tokens          = static_cast<double>(sequential.samples * sequential.tokens_per_sample);
  job.model_flops     = sequential.model_flops;
  job.hardware_flops  = hardware_flops(lowered.program);
  job.dtype           = ir::short_name(scenario.workload.dtype.value_or(ir::DType::f32));
  job.training        = scenario.workload.mode == workload::Mode::training;
  job.scenario_echo   = scenario.source;
  job.cost_provenance = provenance_shares(lowered);
  return job;
}

void tell(const Finished& finished, size_t step) {
  if (finished) finished(step);
}

}  // namespace

PlatformRef load_platform(const PlatformChoice& choice) {
  if (choice.path.empty()) return std::make_shared<const platform::Platform>(platform::make(choice.recipe));
  platform::Platform written = platform::load_file(choice.path);
  if (choice.changes.empty()) return std::make_shared<const platform::Platform>(std::move(written));
  return std::make_shared<const platform::Platform>(platform::with_links(written, choice.changes));
}

void check_devices(const Scenario& scenario, const platform::Platform& platform) {
  const Strategy& strategy = scenario.strategy;
  const size_t available   = platform.devices().size();
  if (static_cast<size_t>(strategy.devices()) <= available) return;
  throw Error(scenario.file + ": $.strategy", "dp x tp x pp = " + std::to_string(strategy.devices()) +
                                                  " devices are more than the " + std::to_string(available) + " of " +
                                                  platform.name() + "; add nodes or lower dp, tp or pp");
}

lower::Lowered lower_scenario(const Scenario& scenario, const Sequential& sequential, const platform::Platform& platform,
                              const Finished& finished) {
  check_devices(scenario, platform);
  const ir::Module module = distribute(sequential, scenario);
  tell(finished, 1);
  const interpret::MixedInterpretation interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  tell(finished, 2);
  lower::Lowered lowered = lower::lower(module, interpretation, scenario.cost, platform, scenario.collectives);
  tell(finished, 3);
  return lowered;
}

Prediction predict(const Scenario& scenario, const Sequential& sequential, const lower::Lowered& lowered,
                   const platform::Platform& platform, const Finished& finished) {
  simulate::Options options = scenario.simulation;
  const JsonView source(scenario.source, scenario.file);
  if (source.has("disturbances")) options.disturbances = read_disturbances(source.at("disturbances"), platform);
  stream::Timeline timeline = scenario.engine->run(lowered.program, platform, options);
  tell(finished, 4);
  report::Summary summary =
      report::summarise(job_of(scenario, sequential, lowered), lowered.program, timeline, platform);
  tell(finished, kSteps);
  return {std::move(timeline), std::move(summary)};
}

Outcome run(const Scenario& scenario, const Sequential& sequential, const PlatformRef& platform,
            const Finished& finished) {
  lower::Lowered lowered = lower_scenario(scenario, sequential, *platform, finished);
  Prediction prediction  = predict(scenario, sequential, lowered, *platform, finished);
  return {std::move(prediction.summary), std::move(lowered.program), std::move(prediction.timeline), platform};
}

Outcome run(const Scenario& scenario, const Finished& finished) {
  const PlatformRef platform = load_platform(scenario.platform);
  check_devices(scenario, *platform);
  return run(scenario, build(scenario), platform, finished);
}

}  // namespace foreflow::scenario
