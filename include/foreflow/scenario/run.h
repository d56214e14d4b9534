// The chain from a scenario to its answer, step by step: each step is a pure function between immutable values.
#pragma once

#include <functional>
#include <memory>

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

// The workload, differentiated and with its optimizer when it trains. Depends on the strategy's global batch only.
Sequential build(const Scenario& scenario);

// Tensor, pipeline and data parallelism, in this order.
ir::Module distribute(const Sequential& sequential, const Scenario& scenario);

// Error at the strategy when the platform has too few devices for it.
void check_devices(const Scenario& scenario, const platform::Platform& platform);

// `finished` (may be empty) is told how many of kSteps steps are done.
constexpr size_t kSteps = 5;
using Finished          = std::function<void(size_t)>;

// The first three: distributes, interprets and lowers. Of the platform only the devices matter.
lower::Lowered lower_scenario(const Scenario& scenario, const Sequential& sequential, const platform::Platform& platform,
                              const Finished& finished = {});

struct Prediction {
  stream::Timeline timeline;
  report::Summary summary;
};

// The last two: simulates what was lowered, and summarises it.
Prediction predict(const Scenario& scenario, const Sequential& sequential, const lower::Lowered& lowered,
                   const platform::Platform& platform, const Finished& finished = {});

// All of them.
Outcome run(const Scenario& scenario, const Sequential& sequential, const PlatformRef& platform,
            const Finished& finished = {});
Outcome run(const Scenario& scenario, const Finished& finished = {});

}  // namespace foreflow::scenario
