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
#include "foreflow/scenario/shared_programs.h"
#include "foreflow/simulate/chosen.h"
#include "foreflow/simulate/known.h"

namespace foreflow::scenario {

// The program of a single device, before it is distributed, with the work that the model itself requires.
struct Sequential {
  ir::Module module;
  int64_t samples           = 1;  // in one iteration
  int64_t tokens_per_sample = 0;  // 0: not a sequence model
  double parameters         = 0;  // of the model; 0: not counted
  Flops model_flops;
  ir::DType dtype = ir::DType::f32;  // in which most of the arithmetic is done
  int layers      = 0;  // equal layers that the forward pass of a file repeats; 0: none, or a family, whose sizes tell
  Flops padding{};      // work of the program that is none of these (workload::Model)
  bool placed        = false;  // a .distir program already assigned to several devices, which is not transformed
  std::string remark = {};     // one sentence about what users should know of how it was read; empty: nothing
};

// Never null. Shared because a large platform has many routes.
using PlatformRef = std::shared_ptr<const platform::Platform>;

struct Outcome {
  report::Summary summary;
  stream::Program program;  // what was simulated; folded if possible (simulate::Run)
  stream::Timeline timeline;
  PlatformRef platform;
  // The program that was folded; null if several jobs share the platform or microbatches were left out.
  std::shared_ptr<const stream::CompactProgram> compact = nullptr;
  std::vector<std::string> remarks                      = {};  // remarks_on() where a whole scenario is run, else none
};

// The streams of the chosen devices, one by one, of a run in which nothing was left out: with
// simulate::Options::every_round. Throws Error when they do not fit into memory.
simulate::Run only_devices(const Outcome& outcome, const simulate::ChosenDevices& chosen);

PlatformRef load_platform(const PlatformChoice& choice);

// Throws Error at the jobs of a scenario that has any. For callers that work on a single program.
void check_one_job(const Scenario& scenario);

// Several steps have two forms:
//   1. try_X returns a Refusal, with the key it belongs to, where the strategy or placement is impossible for this
//      model or platform;
//   2. X throws that refusal as an Error at the key.
// Both throw Error for everything else that is wrong with the scenario.

// Builds the program of the workload; for training it is differentiated and has its optimizer. Of the strategy only the
// global batch and how attention is computed matter. Throws Error when the scenario has several jobs.
Expected<Sequential> try_build(const Scenario& scenario);
Sequential build(const Scenario& scenario);
// All that the program depends on: `build` gives scenarios of one file that have equal keys the same program.
std::string build_key(const Scenario& scenario);
// The samples of one iteration: the global batch of the strategy, else that of the program in the file, which is read
// then but not differentiated. 1 or more. Throws Error as build does.
int64_t samples_of(const Scenario& scenario);

// Remarks on what users should know of how the model was read, and of what the strategy does to it; a sentence each.
// Requires: the strategy can be applied to the program.
std::vector<std::string> remarks_on(const Scenario& scenario, const Sequential& sequential);

// Returns the scenario with everything decided that depends on the model or the platform; the steps below require it:
//   1. `recompute: optimal` has its memory limits, which are found by simulation;
//   2. the devices and links that disturbances name are indices into the platform.
// Throws Error at a name that the platform does not have.
Expected<Scenario> resolve(const Scenario& scenario, const Sequential& sequential, const platform::Platform& platform);
// Step 2 of resolve() alone.
Scenario with_known_names(Scenario scenario, const platform::Platform& platform);
// False for `recompute: optimal` before resolve() has found its memory limits.
bool is_resolved(const Strategy& strategy);

// Applies tensor, pipeline and data parallelism, in this order. The devices of the platform price the ops, which
// balances the pipeline's stages.
Expected<ir::Module> try_distribute(const Sequential& sequential, const Scenario& scenario,
                                    const platform::Platform& platform);
ir::Module distribute(const Sequential& sequential, const Scenario& scenario, const platform::Platform& platform);

// The same with the way from the arguments of the sequential program to those of the distributed one: the pieces of
// each step, for transform::split_arguments one after the other. No steps: the parameters are the same.
struct DistributedProgram {
  ir::Module module;
  std::vector<std::vector<transform::Piece>> steps;
};
DistributedProgram distribute_with_pieces(const Sequential& sequential, const Scenario& scenario,
                                          const platform::Platform& platform);

struct KnownKeys;  // strategy_key.h

// The platform device of each device D1, D2, ... of the distributed program, as indices into platform.devices(). The
// devices that the strategy does not use follow, for programs from files, which count their devices themselves.
// Refused:
//   1. at the strategy, when it needs more devices than are available;
//   2. at the placement, when it names an unknown device, a device twice, or a device that another job holds.
Expected<std::vector<int>> try_places(const Scenario& scenario, const platform::Platform& platform);
std::vector<int> places(const Scenario& scenario, const platform::Platform& platform);

// The scenario `base` with another strategy and placement (null: none is stated). Requires: `base` has no jobs, and all
// keys of `strategy` exist. Refuses what `load` and check_devices would throw at these two members. Refusals are cheap:
// nothing else of the scenario is read again or copied.
Expected<Scenario> with_strategy(const Scenario& base, Json strategy, Json placement,
                                 const platform::Platform& platform);
// The same with the members `strategy` and, where they are there, `workload`, `placement`, `cost`, `collective` and
// `host` of `parts` in place of the scenario's. Throws Error at a wrong workload.
Expected<Scenario> with_parts(const Scenario& base, const Json& parts, const platform::Platform& platform);
// The refusal that with_strategy gives to every strategy that agrees with `strategy`, which has only the known `keys`;
// nothing if it may accept one of them. An absent placement counts as unknown.
std::optional<Refusal> refuse_part(const Scenario& base, const KnownKeys& keys, Json strategy,
                                   const std::optional<Json>& placement, const platform::Platform& platform);

// The options for lowering the scenario's program onto the platform.
lower::Options lowering(const Scenario& scenario, const platform::Platform& platform);

// Throws Error as places() does; checks every job of a scenario with jobs.
void check_devices(const Scenario& scenario, const platform::Platform& platform);

// The steps of a prediction, each by the number of steps that are finished with it.
constexpr size_t kDistributed = 1, kInterpreted = 2, kLowered = 3, kSimulated = 4, kSummarised = 5;
constexpr size_t kSteps = kSummarised;
// Called with that number after each step; may be empty.
using Finished = std::function<void(size_t)>;

// The steps up to kLowered: distributes, interprets and lowers. Uses only the devices of the platform, and where
// lowers_by_times its links.
Expected<lower::Lowered> try_lower(const Scenario& scenario, const Sequential& sequential,
                                   const platform::Platform& platform, const Finished& finished = {});
lower::Lowered lower_scenario(const Scenario& scenario, const Sequential& sequential,
                              const platform::Platform& platform, const Finished& finished = {});
// True if what a scenario is lowered to may depend on the times of messages, and so on links and the engine: they
// decide where balanced stages are cut, how long weight gradients are delayed, and what `recompute: optimal`
// recomputes. All else of a platform that matters there is its devices.
bool lowers_by_times(const Strategy& strategy);

struct Prediction {
  stream::Program program;  // what was simulated; folded if possible (simulate::Run)
  stream::Timeline timeline;
  report::Summary summary;
  std::shared_ptr<const stream::CompactProgram> compact = nullptr;  // as in Outcome
};

// The two steps after it: simulates the lowered program and summarises the timeline. `known`: about them, from other
// runs.
Prediction predict(const Scenario& scenario, const Sequential& sequential, const lower::Lowered& lowered,
                   const platform::Platform& platform, const Finished& finished = {},
                   report::Detail detail = report::Detail::all, const simulate::Known& known = {});

// All five steps for a resolved scenario. Where many equal microbatches follow each other, a few of them are simulated
// and the summary is extended to all of them, exactly (src/scenario/run/few_microbatches.h); `program` and `timeline`
// are then those of the few. With simulate::Options::observe or `every_round`, or without `fold`, all are simulated.
// The summary has `detail` or more.
Expected<Prediction> try_predict(const Scenario& scenario, const Sequential& sequential,
                                 const platform::Platform& platform, const Finished& finished = {},
                                 SharedPrograms* shared = nullptr, report::Detail detail = report::Detail::all);

// resolve() and all five steps, for a scenario without jobs. Both try_ forms take programs from `shared`, if it is
// given, and keep there what they make.
Expected<Outcome> try_run(const Scenario& scenario, const Sequential& sequential, const PlatformRef& platform,
                          const Finished& finished = {}, SharedPrograms* shared = nullptr,
                          report::Detail detail = report::Detail::all);
Outcome run(const Scenario& scenario, const Sequential& sequential, const PlatformRef& platform,
            const Finished& finished = {});
// Runs a whole scenario. The jobs of a scenario become one program, and the summary compares the time of each job alone
// with its time beside the others.
Outcome run(const Scenario& scenario, const PlatformRef& platform, const Finished& finished = {});
Outcome run(const Scenario& scenario, const Finished& finished = {});

}  // namespace foreflow::scenario
