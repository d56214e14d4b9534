// The chain from a scenario to its answer, step by step: each step is a pure function between immutable values.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "foreflow/base/expected.h"
#include "foreflow/platform/load.h"
#include "foreflow/report/summary.h"
#include "foreflow/scenario/scenario.h"

namespace foreflow::scenario {

// The program of one device, before any distribution, with what the model itself demands.
struct Sequential {
  ir::Module module;
  int64_t samples           = 1;  // of one iteration
  int64_t tokens_per_sample = 0;  // 0: not a sequence model
  Flops model_flops;
  bool placed = false;  // a .distir program that already lives on several devices: it is not transformed
};

// Shared, because the routes of a large platform are many; never null.
using PlatformRef = std::shared_ptr<const platform::Platform>;

struct Outcome {
  report::Summary summary;
  stream::Program program;  // what was simulated: folded where devices are alike
  stream::Timeline timeline;
  PlatformRef platform;
};

PlatformRef load_platform(const PlatformChoice& choice);

// Error at the jobs of a scenario that has any: for what can be done with one program only.
void check_one_job(const Scenario& scenario);

// Several steps exist in two forms. The one whose name begins with try_ gives as a value what the strategy cannot do on
// this model or platform: a refusal with the key that it belongs to. The other throws that refusal, as the Error at the
// key. Both throw Error for what is wrong beyond strategy and placement.

// The workload, differentiated and with its optimizer when it trains. Depends only on the strategy's global batch, and
// whether it fuses attention. Checks that there is one job.
Expected<Sequential> try_build(const Scenario& scenario);
Sequential build(const Scenario& scenario);

// The scenario without open questions, which is what the steps after this one take: what `recompute: optimal` repeats
// is found by simulating, and the devices and links that its disturbances name have their numbers. Throws Error at a
// name that the platform does not have.
Expected<Scenario> resolve(const Scenario& scenario, const Sequential& sequential, const platform::Platform& platform);
// The second half alone.
Scenario with_known_names(Scenario scenario, const platform::Platform& platform);
// False for `recompute: optimal` whose limits are not known yet.
bool is_resolved(const Strategy& strategy);

// Tensor, pipeline and data parallelism, in this order. The platform tells how long the ops of a pipeline's stages
// take.
Expected<ir::Module> try_distribute(const Sequential& sequential, const Scenario& scenario,
                                    const platform::Platform& platform);
ir::Module distribute(const Sequential& sequential, const Scenario& scenario, const platform::Platform& platform);

// The devices that other jobs hold, with the name of the job.
using Held = std::map<int, std::string>;

// Where each device of the distributed program sits: an index into platform.devices() for D1, D2, ..., and after those
// of the strategy the devices that are left, for a program that counts its devices itself. Refused at the strategy
// when it needs more devices than there are, and at the placement when that names no device of the platform, one twice,
// or one that another job holds.
Expected<std::vector<int>> try_places(const Scenario& scenario, const platform::Platform& platform,
                                      const Held& held = {});
std::vector<int> places(const Scenario& scenario, const platform::Platform& platform, const Held& held = {});

// The scenario `base`, which has no jobs, with another strategy, of known keys, and placement (null: none). Refuses
// what `load` and check_devices throw at these two; a refusal costs little, for nothing else of the scenario is read
// again or copied.
Expected<Scenario> with_strategy(const Scenario& base, Json strategy, Json placement,
                                 const platform::Platform& platform);

// How to lower the scenario's program onto the platform.
lower::Options lowering(const Scenario& scenario, const platform::Platform& platform, const Held& held = {});

// Throws what places() throws, also for each of several jobs.
void check_devices(const Scenario& scenario, const platform::Platform& platform);

// `finished` (may be empty) is told how many of kSteps steps are done.
constexpr size_t kSteps = 5;
using Finished          = std::function<void(size_t)>;

// The first three: distributes, interprets and lowers. Of the platform only the devices matter.
Expected<lower::Lowered> try_lower(const Scenario& scenario, const Sequential& sequential,
                                   const platform::Platform& platform, const Finished& finished = {},
                                   const Held& held = {});
lower::Lowered lower_scenario(const Scenario& scenario, const Sequential& sequential,
                              const platform::Platform& platform, const Finished& finished = {}, const Held& held = {});

struct Prediction {
  stream::Program program;  // what was simulated: folded where devices are alike
  stream::Timeline timeline;
  report::Summary summary;
};

// The last two: simulates what was lowered, and summarises it.
Prediction predict(const Scenario& scenario, const Sequential& sequential, const lower::Lowered& lowered,
                   const platform::Platform& platform, const Finished& finished = {});

// All of them, resolve() before the others, for a scenario without jobs.
Expected<Outcome> try_run(const Scenario& scenario, const Sequential& sequential, const PlatformRef& platform,
                          const Finished& finished = {});
Outcome run(const Scenario& scenario, const Sequential& sequential, const PlatformRef& platform,
            const Finished& finished = {});
// A scenario with jobs gives one program of all of them, with the times of each alone and together in the summary.
Outcome run(const Scenario& scenario, const PlatformRef& platform, const Finished& finished = {});
Outcome run(const Scenario& scenario, const Finished& finished = {});

}  // namespace foreflow::scenario
