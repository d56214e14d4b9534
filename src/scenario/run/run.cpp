#include "foreflow/scenario/run.h"

#include <algorithm>

#include "foreflow/base/at_place.h"
#include "foreflow/base/error.h"
#include "scenario/distribution/distribute.h"
#include "scenario/job.h"
#include "scenario/run/few_microbatches.h"
#include "scenario/run/run_jobs.h"

namespace foreflow::scenario {

simulate::Run only_devices(const Outcome& outcome, const simulate::ChosenDevices& chosen) {
  const auto& devices = outcome.program.devices;
  const bool folded = std::any_of(devices.begin(), devices.end(), [](const auto& one) { return !one.members.empty(); });
  if (!folded) return simulate::only_devices(outcome.program, outcome.timeline, chosen);
  FOREFLOW_CHECK(outcome.compact != nullptr, "all microbatches are simulated where devices are chosen");
  return simulate::only_devices(*outcome.compact, outcome.program, outcome.timeline, chosen);
}

stream::Timeline simulate_on(const Scenario& scenario, const stream::Program& program,
                             const platform::Platform& platform) {
  FOREFLOW_CHECK(!scenario.disturbances, "what disturbs a simulation has its numbers before it begins");
  return at_place(scenario.file, [&] { return scenario.engine->run(program, platform, scenario.simulation); });
}

simulate::Run simulate_on(const Scenario& scenario, const stream::CompactProgram& program,
                          const platform::Platform& platform, const simulate::Known& known) {
  FOREFLOW_CHECK(!scenario.disturbances, "what disturbs a simulation has its numbers before it begins");
  return at_place(scenario.file, [&] { return scenario.engine->run(program, platform, scenario.simulation, known); });
}

PlatformRef load_platform(const PlatformChoice& choice) {
  if (choice.path.empty()) return std::make_shared<const platform::Platform>(platform::make(choice.recipe));
  platform::Platform written = platform::load_file(choice.path, choice.devices);
  if (choice.changes.empty()) return std::make_shared<const platform::Platform>(std::move(written));
  return std::make_shared<const platform::Platform>(platform::with_links(written, choice.changes));
}

Expected<lower::Lowered> try_lower(const Scenario& scenario, const Sequential& sequential,
                                   const platform::Platform& platform, const Finished& finished) {
  auto lowered = try_lower_some(scenario, sequential, platform, 0, finished);
  if (!lowered) return lowered.refusal();
  return std::move(**lowered);
}

lower::Lowered lower_scenario(const Scenario& scenario, const Sequential& sequential,
                              const platform::Platform& platform, const Finished& finished) {
  return try_lower(scenario, sequential, platform, finished).value();
}

Prediction predict(const Scenario& scenario, const Sequential& sequential, const lower::Lowered& lowered,
                   const platform::Platform& platform, const Finished& finished, report::Detail detail,
                   const simulate::Known& known) {
  simulate::Run run = simulate_on(scenario, lowered.compact, platform, known);
  tell(finished, kSimulated);
  const report::Job job   = describe(scenario, sequential, lowered, platform, stream::executions(lowered.compact));
  report::Summary summary = report::summarise(job, run.program, run.timeline, platform, detail);
  tell(finished, kSummarised);
  return {std::move(run.program), std::move(run.timeline), std::move(summary)};
}

Expected<Prediction> try_predict(const Scenario& scenario, const Sequential& sequential,
                                 const platform::Platform& platform, const Finished& finished, SharedPrograms* shared,
                                 report::Detail detail) {
  for (const int few : few_microbatches(scenario, sequential)) {
    auto predicted = try_predict_from_few(few, scenario, sequential, platform, shared);
    if (!predicted) return predicted.refusal();
    if (*predicted) {
      tell(finished, kSummarised);
      return std::move(**predicted);
    }
  }
  auto lowered = try_lower_some(scenario, sequential, platform, 0, finished, shared);
  if (!lowered) return lowered.refusal();
  Prediction prediction = predict(scenario, sequential, **lowered, platform, finished, detail);
  prediction.compact    = std::make_shared<const stream::CompactProgram>(std::move((*lowered)->compact));
  return prediction;
}

Expected<Outcome> try_run(const Scenario& scenario, const Sequential& sequential, const PlatformRef& platform,
                          const Finished& finished, SharedPrograms* shared, report::Detail detail) {
  const auto resolved = resolve(scenario, sequential, *platform);
  if (!resolved) return resolved.refusal();
  auto predicted = try_predict(*resolved, sequential, *platform, finished, shared, detail);
  if (!predicted) return predicted.refusal();
  return Outcome{std::move(predicted->summary), std::move(predicted->program), std::move(predicted->timeline), platform,
                 std::move(predicted->compact)};
}

Outcome run(const Scenario& scenario, const Sequential& sequential, const PlatformRef& platform,
            const Finished& finished) {
  return try_run(scenario, sequential, platform, finished).value();
}

Outcome run(const Scenario& scenario, const PlatformRef& platform, const Finished& finished) {
  check_devices(scenario, *platform);
  if (!scenario.jobs.empty()) return run_jobs(scenario, platform, finished);
  const Sequential sequential = build(scenario);
  Outcome outcome             = run(scenario, sequential, platform, finished);
  outcome.remarks             = remarks_on(scenario, sequential);
  return outcome;
}

Outcome run(const Scenario& scenario, const Finished& finished) {
  return run(scenario, load_platform(scenario.platform), finished);
}

}  // namespace foreflow::scenario
