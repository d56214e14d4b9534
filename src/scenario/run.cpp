#include "foreflow/scenario/run.h"

#include "scenario/distribute.h"
#include "scenario/job.h"
#include "scenario/run_jobs.h"

namespace foreflow::scenario {
namespace {

void tell(const Finished& finished, size_t step) {
  if (finished) finished(step);
}

}  // namespace

stream::Timeline simulate_on(const Scenario& scenario, const stream::Program& program,
                             const platform::Platform& platform) {
  FOREFLOW_CHECK(!scenario.disturbances, "what disturbs a simulation has its numbers before it begins");
  return scenario.engine->run(program, platform, scenario.simulation);
}

simulate::Run simulate_on(const Scenario& scenario, const stream::CompactProgram& program,
                          const platform::Platform& platform) {
  FOREFLOW_CHECK(!scenario.disturbances, "what disturbs a simulation has its numbers before it begins");
  return scenario.engine->run(program, platform, scenario.simulation);
}

PlatformRef load_platform(const PlatformChoice& choice) {
  if (choice.path.empty()) return std::make_shared<const platform::Platform>(platform::make(choice.recipe));
  platform::Platform written = platform::load_file(choice.path);
  if (choice.changes.empty()) return std::make_shared<const platform::Platform>(std::move(written));
  return std::make_shared<const platform::Platform>(platform::with_links(written, choice.changes));
}

Expected<lower::Lowered> try_lower(const Scenario& scenario, const Sequential& sequential,
                                   const platform::Platform& platform, const Finished& finished, const Held& held) {
  auto places = try_places(scenario, platform, held);
  if (!places) return places.refusal();
  const auto distributed = try_distribute_alike(sequential, scenario, platform);
  if (!distributed) return distributed.refusal();
  const auto& [module, replicas] = *distributed;
  tell(finished, 1);
  const interpret::MixedInterpretation interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  tell(finished, 2);
  lower::Options options = scenario.collectives;
  options.places         = *std::move(places);
  lower::Lowered lowered = lower::lower_replicas(module, interpretation, scenario.cost, platform, replicas, options);
  tell(finished, 3);
  return lowered;
}

lower::Lowered lower_scenario(const Scenario& scenario, const Sequential& sequential,
                              const platform::Platform& platform, const Finished& finished, const Held& held) {
  return try_lower(scenario, sequential, platform, finished, held).value();
}

Prediction predict(const Scenario& scenario, const Sequential& sequential, const lower::Lowered& lowered,
                   const platform::Platform& platform, const Finished& finished) {
  simulate::Run run = simulate_on(scenario, lowered.compact, platform);
  tell(finished, 4);
  report::Summary summary =
      report::summarise(describe(scenario, sequential, lowered), run.program, run.timeline, platform);
  tell(finished, kSteps);
  return {std::move(run.program), std::move(run.timeline), std::move(summary)};
}

Expected<Outcome> try_run(const Scenario& scenario, const Sequential& sequential, const PlatformRef& platform,
                          const Finished& finished) {
  const auto resolved = resolve(scenario, sequential, *platform);
  if (!resolved) return resolved.refusal();
  auto lowered = try_lower(*resolved, sequential, *platform, finished);
  if (!lowered) return lowered.refusal();
  Prediction prediction = predict(*resolved, sequential, *lowered, *platform, finished);
  return Outcome{std::move(prediction.summary), std::move(prediction.program), std::move(prediction.timeline),
                 platform};
}

Outcome run(const Scenario& scenario, const Sequential& sequential, const PlatformRef& platform,
            const Finished& finished) {
  return try_run(scenario, sequential, platform, finished).value();
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
