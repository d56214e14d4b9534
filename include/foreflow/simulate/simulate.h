// Program + Platform -> Timeline, by one of the engines. All engines follow one execution rule: an item starts when its
// stream is free and, for a communication, when all members are; it occupies all of them until it ends. The one
// exception is a hand-over between two streams of one device, which never holds up the stream that hands over
// (stream/timeline.h). docs/models.md explains the rule with an example.
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "foreflow/base/registry.h"
#include "foreflow/platform/platform.h"
#include "foreflow/simulate/known.h"
#include "foreflow/simulate/options.h"
#include "foreflow/stream/compact.h"
#include "foreflow/stream/timeline.h"

namespace foreflow::simulate {

struct FoldedProgram;  // simulate/fold/fold_compact.h

// The program that was simulated and its timeline. The program is folded, so that one device represents all that do the
// same at the same time (DeviceUse::members), where that is exact and saves at least an eighth of the devices;
// otherwise it has every device.
struct Run {
  stream::Program program;
  stream::Timeline timeline;
};

// A loop of a program, such as the microbatches of a pipeline.
struct Rounds {
  int64_t held;    // the number of rounds in the program
  int64_t wanted;  // the number of rounds of the loop
  // The calls of a stream, if not all rounds have equally many, as where the last microbatches split their backward
  // passes: how many one more round adds to every stream, and how many each stream has.
  int64_t calls               = 0;  // 0: unknown
  std::set<int64_t> all_calls = {};
};

// The simulation of a few rounds, from which that of all rounds follows. In the middle of the program, each `at_once`
// rounds repeat the `at_once` rounds before them. Parts of the program that do not meet in the loop, such as replicas,
// reach steady states after rounds of their own, in periods of their own. From then on each period repeats the one
// before it and takes the same time, so `run` leaves out some of each part, `periods` times; `longer` leaves them out
// one time less.
struct RunOfRounds {
  int64_t at_once;
  std::optional<Run> run;     // nothing: the rounds left out are no multiple of `at_once`
  std::optional<Run> longer;  // nothing: `run` has all rounds
  int64_t periods             = 0;
  std::vector<int64_t> rounds = {};  // of the loop in `run`, by device
  // How often the devices execute each of Program::computes in all rounds.
  std::vector<int64_t> executions = {};
};

struct EngineDef {
  std::string_view name;  // "analytic", "simgrid", "simgrid_flows"
  std::string_view doc;
  stream::Timeline (*simulate)(const stream::Program& program, const platform::Platform& platform,
                               const Options& options);
  // Null: the engine simulates every stream.
  stream::Timeline (*simulate_folded)(const FoldedProgram& folded, const platform::Platform& platform,
                                      const Options& options) = nullptr;
  bool shares_links = true;  // false: disturbances that affect links are refused
  bool observes     = true;  // false: Timeline::paces stay empty, whatever Options::observe says
  // Throws Error for options that the engine cannot follow, as all runs do; for those who have much to do before a run.
  // Null: it follows all.
  void (*check_options)(const Options& options) = nullptr;

  // Simulates a program whose device d is the platform device program.devices[d].place. Throws Error when
  //   1. two members of a communication have no route;
  //   2. a disturbance is out of range, or refers to a device or link that the platform does not have;
  //   3. a flow can never end, because its link stays down for ever;
  //   4. streams deadlock; the message names device, op and the member that never arrives.
  stream::Timeline run(const stream::Program& program, const platform::Platform& platform,
                       const Options& options = {}) const {
    return simulate(program, platform, options);
  }

  // As above; the cost follows the devices that differ. Throws Error also when a program that cannot be folded does not
  // fit into memory.
  Run run(const stream::CompactProgram& program, const platform::Platform& platform, const Options& options = {},
          const Known& known = {}) const;
  // False if no program is extrapolated from a few rounds: the engine simulates every stream, or disturbances begin or
  // end during the run.
  bool extrapolates(const Options& options) const;
  // Nothing if the program has no such rounds (src/simulate/rounds/rounds.h), cannot be folded, is not extrapolated, or
  // if run() throws.
  std::optional<RunOfRounds> run(const stream::CompactProgram& program, const Rounds& rounds,
                                 const platform::Platform& platform, const Options& options = {}) const;
};

const Registry<EngineDef>& engines();

}  // namespace foreflow::simulate
