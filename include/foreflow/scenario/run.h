// The chain from a scenario to its answer, step by step: each step is a pure function between immutable values.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

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
  stream::Program program;
  stream::Timeline timeline;
  PlatformRef platform;
};

PlatformRef load_platform(const PlatformChoice& choice);

// Error at the jobs of a scenario that has any: for what can be done with one program only.
void check_one_job(const Scenario& scenario);

// The workload, differentiated and with its optimizer when it trains. Depends only on the strategy's global batch, and
// whether it fuses attention.
// Checks that there is one job.
Sequential build(const Scenario& scenario);

// Tensor, pipeline and data parallelism, in this order. The platform tells how long the ops of a pipeline's stages
// take.
ir::Module distribute(const Sequential& sequential, const Scenario& scenario, const platform::Platform& platform);

// The same where replicas that share something may be written once for all of them (transform/replica.h).
struct Distributed {
  ir::Module module;
  int replicas = 1;  // of which the program is that of one
};
Distributed distribute_alike(const Sequential& sequential, const Scenario& scenario,
                             const platform::Platform& platform);

// The devices that other jobs hold, with the name of the job.
using Held = std::map<int, std::string>;

// Where each device of the distributed program sits: an index into platform.devices() for D1, D2, ..., and after those
// of the strategy the devices that are left, for a program that counts its devices itself. Throws Error at the strategy
// when it needs more devices than there are, and at the placement when that names no device of the platform, one twice,
// or one that another job holds.
std::vector<int> places(const Scenario& scenario, const platform::Platform& platform, const Held& held = {});

// How to lower the scenario's program onto the platform.
lower::Options lowering(const Scenario& scenario, const platform::Platform& platform, const Held& held = {});

// Throws what places() throws, also for each of several jobs.
void check_devices(const Scenario& scenario, const platform::Platform& platform);

// `finished` (may be empty) is told how many of kSteps steps are done.
constexpr size_t kSteps = 5;
using Finished          = std::function<void(size_t)>;

// The first three: distributes, interprets and lowers. Of the platform only the devices matter.
lower::Lowered lower_scenario(const Scenario& scenario, const Sequential& sequential,
                              const platform::Platform& platform, const Finished& finished = {}, const Held& held = {});

struct Prediction {
  stream::Timeline timeline;
  report::Summary summary;
};

// The last two: simulates what was lowered, and summarises it.
Prediction predict(const Scenario& scenario, const Sequential& sequential, const lower::Lowered& lowered,
                   const platform::Platform& platform, const Finished& finished = {});

// All of them, for a scenario without jobs.
Outcome run(const Scenario& scenario, const Sequential& sequential, const PlatformRef& platform,
            const Finished& finished = {});
// A scenario with jobs gives one program of all of them, with the times of each alone and together in the summary.
Outcome run(const Scenario& scenario, const PlatformRef& platform, const Finished& finished = {});
Outcome run(const Scenario& scenario, const Finished& finished = {});

}  // namespace foreflow::scenario
