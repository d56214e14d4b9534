#include "scenario/run/run_jobs.h"

#include <algorithm>

#include "foreflow/stream/share.h"
#include "scenario/job.h"

namespace foreflow::scenario {
namespace {

// A job's part of the chain: its program on its devices, all iterations, and what a report says of it.
struct Prepared {
  stream::Program program;
  report::Job job;
  report::SharedJob shared;
  Provenance provenance;
  double collective_share;  // simulate::Options::collective_share of the job
};

Prepared prepare(const Job& job, const PlatformRef& platform, Held& held) {
  Scenario own                  = job.scenario;
  own.held                      = held;
  const Sequential sequential   = build(own);
  const Scenario scenario       = resolve(own, sequential, *platform).value();
  const lower::Lowered lowered  = lower_scenario(scenario, sequential, *platform);
  const stream::Program program = lowered.program();
  for (const stream::DeviceUse& device : program.devices) held.emplace(device.place, scenario.name);

  const std::vector<int64_t> counts = stream::executions(lowered.compact);
  Prepared prepared{stream::repeated(program, job.iterations),
                    describe(scenario, sequential, lowered, *platform, counts),
                    {},
                    provenance_of(lowered, counts),
                    scenario.simulation.collective_share};
  prepared.shared.name       = scenario.name;
  prepared.shared.dtype      = prepared.job.dtype;
  prepared.shared.placement  = prepared.job.placement;
  prepared.shared.start      = job.start;
  prepared.shared.iterations = job.iterations;
  prepared.shared.samples    = job.iterations * prepared.job.samples;
  return prepared;
}

// The time of a job without the others. All else is as with them, so that the difference is their doing: it starts when
// it does, meets the same disturbances then, and draws the same numbers.
Seconds time_alone(size_t job, const std::vector<stream::Tenant>& tenants, const Scenario& scenario,
                   const platform::Platform& platform) {
  const stream::Shared shared = stream::share_alone(tenants, job);
  const auto timeline         = without_waits(shared, simulate_on(scenario, shared.program, platform));
  const Seconds end           = stream::end_of(shared.program, timeline, static_cast<int32_t>(job));
  return std::max(end - tenants[job].start, Seconds(0));
}

// Facts for the report that concern all jobs together.
report::Job sum_of(const Scenario& scenario, const std::vector<Prepared>& jobs) {
  report::Job all;
  all.name          = scenario.name;
  all.engine        = scenario.engine->name;
  all.training      = std::any_of(jobs.begin(), jobs.end(), [](const Prepared& one) { return one.job.training; });
  all.placement     = "by job";
  all.allocator     = scenario.allocator;
  all.scenario_echo = scenario.source;
  Provenance provenance{};
  for (const Prepared& one : jobs) {
    const double times = one.shared.iterations;
    all.samples += times * one.job.samples;
    all.tokens += times * one.job.tokens;
    all.model_flops += times * one.job.model_flops;
    all.hardware_flops += times * one.job.hardware_flops;
    for (size_t p = 0; p < provenance.size(); ++p) provenance[p] += times * one.provenance[p];
    if (all.dtype.find(one.job.dtype) == std::string::npos)
      all.dtype += (all.dtype.empty() ? "" : ", ") + one.job.dtype;
    all.jobs.push_back(one.shared);
  }
  all.cost_provenance = shares_of(provenance);
  for (const Prepared& one : jobs) {
    for (const std::string& sentence : one.job.assumed) add_once(all.assumed, sentence);
    all.compute_error = std::max(all.compute_error, one.job.compute_error);
    all.message_error = std::max(all.message_error, one.job.message_error);
  }
  return all;
}

}  // namespace

Outcome run_jobs(const Scenario& all_jobs, const PlatformRef& platform, const Finished& finished) {
  Scenario scenario = with_known_names(all_jobs, *platform);
  Held held;
  std::vector<Prepared> jobs;
  for (const Job& job : scenario.jobs) {
    jobs.push_back(prepare(job, platform, held));
    tell(finished, kLowered * jobs.size() / scenario.jobs.size());
  }
  for (const Prepared& job : jobs) scenario.simulation.shares_of_jobs.push_back(job.collective_share);
  std::vector<stream::Tenant> tenants;
  for (Prepared& job : jobs) tenants.push_back({job.shared.name, std::move(job.program), job.shared.start});
  for (size_t job = 0; job < jobs.size(); ++job) jobs[job].shared.alone = time_alone(job, tenants, scenario, *platform);
  const report::Job all       = sum_of(scenario, jobs);
  const stream::Shared shared = stream::share(tenants);
  stream::Timeline timeline   = without_waits(shared, simulate_on(scenario, shared.program, *platform));
  stream::Program program     = without_waits(shared);
  tell(finished, kSimulated);
  report::Summary summary = report::summarise(all, program, timeline, *platform);
  tell(finished, kSummarised);
  return {std::move(summary), std::move(program), std::move(timeline), platform};
}

}  // namespace foreflow::scenario
