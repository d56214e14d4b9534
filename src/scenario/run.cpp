#include "foreflow/scenario/run.h"

#include "scenario/job.h"
#include "scenario/run_jobs.h"

namespace foreflow::scenario {

PlatformRef load_platform(const PlatformChoice& choice) {
  if (choice.path.empty()) return std::make_shared<const platform::Platform>(platform::make(choice.recipe));
  platform::Platform written = platform::load_file(choice.path);
  if (choice.changes.empty()) return std::make_shared<const platform::Platform>(std::move(written));
  return std::make_shared<const platform::Platform>(platform::with_links(written, choice.changes));
}

Outcome run(const Scenario& scenario, const Sequential& sequential, const PlatformRef& platform,
            const Finished& finished) {
  const auto done = [&](size_t step) {
    if (finished) finished(step);
  };
  const lower::Options options = lowering(scenario, *platform);
  const ir::Module module      = distribute(sequential, scenario);
  done(1);
  const interpret::MixedInterpretation interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  done(2);
  lower::Lowered lowered = lower::lower(module, interpretation, scenario.cost, *platform, options);
  done(3);
  stream::Timeline timeline = scenario.engine->run(lowered.program, *platform);
  done(4);
  report::Summary summary =
      report::summarise(describe(scenario, sequential, lowered), lowered.program, timeline, *platform);
  done(kSteps);
  return {std::move(summary), std::move(lowered.program), std::move(timeline), platform};
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
