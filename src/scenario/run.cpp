#include "foreflow/scenario/run.h"

#include "scenario/fit_recompute.h"
#include "scenario/job.h"
#include "scenario/read.h"
#include "scenario/run_jobs.h"

namespace foreflow::scenario {
namespace {

void tell(const Finished& finished, size_t step) {
  if (finished) finished(step);
}

}  // namespace

stream::Timeline simulate_on(const Scenario& scenario, const stream::Program& program,
                             const platform::Platform& platform) {
  simulate::Options options = scenario.simulation;
  const JsonView source(scenario.source, scenario.file);
  if (source.has("disturbances")) options.disturbances = read_disturbances(source.at("disturbances"), platform);
  return scenario.engine->run(program, platform, options);
}

PlatformRef load_platform(const PlatformChoice& choice) {
  if (choice.path.empty()) return std::make_shared<const platform::Platform>(platform::make(choice.recipe));
  platform::Platform written = platform::load_file(choice.path);
  if (choice.changes.empty()) return std::make_shared<const platform::Platform>(std::move(written));
  return std::make_shared<const platform::Platform>(platform::with_links(written, choice.changes));
}

lower::Lowered lower_scenario(const Scenario& scenario, const Sequential& sequential,
                              const platform::Platform& platform, const Finished& finished, const Held& held) {
  const lower::Options options = lowering(scenario, platform, held);
  if (needs_fit(scenario))
    return lower_scenario(with_fitted_recompute(sequential, scenario, platform), sequential, platform, finished, held);
  const auto [module, replicas] = distribute_alike(sequential, scenario, platform);
  tell(finished, 1);
  const interpret::MixedInterpretation interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  tell(finished, 2);
  lower::Lowered lowered = lower::lower_replicas(module, interpretation, scenario.cost, platform, replicas, options);
  tell(finished, 3);
  return lowered;
}

Prediction predict(const Scenario& scenario, const Sequential& sequential, const lower::Lowered& lowered,
                   const platform::Platform& platform, const Finished& finished) {
  stream::Timeline timeline = simulate_on(scenario, lowered.program, platform);
  tell(finished, 4);
  report::Summary summary =
      report::summarise(describe(scenario, sequential, lowered), lowered.program, timeline, platform);
  tell(finished, kSteps);
  return {std::move(timeline), std::move(summary)};
}

Outcome run(const Scenario& scenario, const Sequential& sequential, const PlatformRef& platform,
            const Finished& finished) {
  lower::Lowered lowered = lower_scenario(scenario, sequential, *platform, finished);
  Prediction prediction  = predict(scenario, sequential, lowered, *platform, finished);
  return {std::move(prediction.summary), std::move(lowered.program), std::move(prediction.timeline), platform};
}

Outcome run(const Scenario& scenario, const PlatformRef& platform, const Finished& finished) {
  check_devices(scenario, *platform);
  return scenario.jobs.empty() ? run(scenario, build(scenario), platform, finished)
                               : run_jobs(scenario, platform, finished);
}

Outcome run(const Scenario& scenario, const Finished& finished) {
  return run(scenario, load_platform(scenario.platform), finished);
}

}  // namespace foreflow::scenario
