#include "scenario/run/few_microbatches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "foreflow/base/at_place.h"
#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/schedule/plan.h"
#include "scenario/distribution/distribute.h"
#include "scenario/job.h"

namespace foreflow::scenario {
namespace {

// Removing this many microbatches, or a multiple, leaves a valid number for every schedule: schedules require multiples
// of the number of devices or of two at most.
int step_of(const Strategy& strategy) {
  schedule::Size size = strategy.schedule_size;
  const auto refuse   = strategy.schedule->refuse;
  for (const int step : {1, 2, strategy.pp, 2 * strategy.pp}) {
    if (strategy.microbatches <= step) continue;
    size.microbatches = strategy.microbatches - step;
    if (refuse == nullptr || refuse(size).empty()) return step;
  }
  return strategy.microbatches;
}

// True if the activations of ever more microbatches are held, as in GPipe, so that these do not repeat each other. A
// schedule that only needs longer to fill holds at most twice the few.
bool holds_more(const Strategy& strategy, int few) {
  const schedule::Size& all = strategy.schedule_size;
  schedule::Size some       = all;
  some.microbatches         = few;
  for (int device = 0; device < all.devices; ++device) {
    const int held = strategy.schedule->peak_live(all, device);
    if (held > 2 * few && held > strategy.schedule->peak_live(some, device)) return true;
  }
  return false;
}

// The name that continues a sequence of two: "ids.1.r1" and "ids.2.r1" are followed by "ids.3.r1". Nothing if the two
// do not differ in exactly one number.
class CountingNames {
 public:
  static std::optional<CountingNames> from(const std::string& first, const std::string& second) {
    const auto [one, two] = std::mismatch(first.begin(), first.end(), second.begin(), second.end());
    size_t begin          = static_cast<size_t>(one - first.begin());
    while (begin > 0 && is_digit(first[begin - 1])) --begin;
    const auto number_of = [begin](const std::string& name) {
      return parse_number<int64_t>(std::string_view(name).substr(begin, end_of(name, begin) - begin));
    };
    const auto number = number_of(first), next = number_of(second);
    if (!number || !next || *next != *number + 1) return {};
    return CountingNames(first.substr(0, begin), first.substr(end_of(first, begin)), *number);
  }

  std::string at(int64_t place) const { return before_ + std::to_string(first_ + place) + after_; }

 private:
  CountingNames(std::string before, std::string after, int64_t first)
      : before_(std::move(before)), after_(std::move(after)), first_(first) {}

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static size_t end_of(const std::string& name, size_t begin) {
    while (begin < name.size() && is_digit(name[begin])) ++begin;
    return begin;
  }

  std::string before_, after_;
  int64_t first_;
};

// How many microbatches go through each pipe of the schedule, in the program and in all.
class Pipes {
 public:
  Pipes(const Strategy& strategy, int run)
      : run_(plan_of(strategy, run)), all_(plan_of(strategy, strategy.microbatches)) {}

  size_t pipe_of(int32_t microbatch) const { return microbatch < run_.microbatches_of(0) ? 0 : 1; }
  int64_t run(size_t pipe) const { return run_.microbatches_of(static_cast<int>(pipe)); }
  int64_t left_out(size_t pipe) const { return all_.microbatches_of(static_cast<int>(pipe)) - run(pipe); }

 private:
  static schedule::Plan plan_of(const Strategy& strategy, int microbatches) {
    schedule::Size size = strategy.schedule_size;
    size.microbatches   = microbatches;
    return {size, strategy.schedule->mapping, {}};
  }

  const schedule::Plan run_, all_;
};

// The data of one parameter on one device that is in the program.
struct RunData {
  std::vector<std::string> names;
  std::array<int64_t, 2> of_pipe{};  // how many of them are of each pipe
  Bytes size;                        // of all
};

// The data of all microbatches except those that are in the program. Up to this many pieces have names.
void add_left_out(const RunData& data, int32_t device, const Pipes& pipes, std::vector<lower::Input>& inputs) {
  constexpr int64_t kNamed = 1000;
  const auto here          = static_cast<int64_t>(data.names.size());
  const Bytes each         = data.size / static_cast<double>(here);
  int64_t pieces = 0, microbatches = 0;
  for (size_t pipe = 0; pipe < data.of_pipe.size(); ++pipe) {
    if (data.of_pipe[pipe] == 0) continue;
    pieces += data.of_pipe[pipe] / pipes.run(pipe) * pipes.left_out(pipe);
    microbatches += pipes.left_out(pipe);
  }
  const auto names = here > 1 ? CountingNames::from(data.names[0], data.names[1]) : std::nullopt;
  if (!names || pieces > kNamed) {
    inputs.push_back(
        {"data of " + std::to_string(microbatches) + " more microbatches", device, static_cast<double>(pieces) * each});
    return;
  }
  for (int64_t i = 0; i < pieces; ++i) inputs.push_back({names->at(here + i), device, each});
}

// The data of the microbatches that are not run. Nothing if the parameters do not match `split_data`.
std::optional<std::vector<lower::Input>> left_out(const ir::Function& entry,
                                                  const interpret::MixedInterpretation& types,
                                                  const std::vector<SplitData>& split_data, const Pipes& pipes) {
  std::map<std::pair<int32_t, int32_t>, RunData> found;  // by parameter of the undistributed program, and device
  size_t data = 0;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    if (entry.parameters[i] != ir::ParameterRole::data) continue;
    if (data == split_data.size()) return {};
    const auto [source, microbatch] = split_data[data++];
    const ir::Type& type            = types.entry().values[i].type;
    if (source < 0) continue;
    if (type.is_tuple()) return {};
    RunData& here = found[{source, std::max(ir::device_of(type).index, 1)}];
    here.names.push_back(std::as_const(entry.values)[i].name);
    here.size += ir::bytes_of(type);
    ++here.of_pipe[pipes.pipe_of(microbatch)];
  }
  if (data != split_data.size()) return {};
  std::vector<lower::Input> inputs;
  for (const auto& [key, here] : found) add_left_out(here, key.second, pipes, inputs);
  return inputs;
}

// The calls of a device are the tasks of its schedule.
simulate::Rounds rounds_of(const Strategy& strategy, int few) {
  const auto tasks_of = [&](int microbatches) {
    schedule::Size size = strategy.schedule_size;
    size.microbatches   = microbatches;
    std::vector<int64_t> tasks;
    for (const auto& device : strategy.schedule->order(size)) tasks.push_back(static_cast<int64_t>(device.size()));
    return tasks;
  };
  simulate::Rounds rounds{few, strategy.microbatches};
  const int step                    = step_of(strategy);
  const std::vector<int64_t> before = tasks_of(few), after = tasks_of(few + step);
  rounds.calls     = (after.front() - before.front()) / step;
  rounds.all_calls = {before.begin(), before.end()};
  for (size_t device = 0; device < before.size(); ++device) {
    if (after[device] - before[device] != rounds.calls * step) rounds.calls = 0;
  }
  return rounds;
}

}  // namespace

std::vector<int> few_microbatches(const Scenario& scenario, const Sequential& sequential) {
  const Strategy& strategy = scenario.strategy;
  if (sequential.placed || strategy.schedule == nullptr || !scenario.simulation.fold ||
      scenario.simulation.every_round || scenario.simulation.observe || !scenario.workload.trains() ||
      !scenario.engine->extrapolates(scenario.simulation))
    return {};
  // Weight gradients are put off by predicted times, which may need any number of microbatches to settle.
  if (strategy.delay_weight_gradients && strategy.pp > 1) return {};
  // Filling and draining the pipeline each take one microbatch per device; those in between must repeat each other.
  const int step = step_of(strategy), least = 2 * strategy.pp + 4 * step;
  const int few = least + (strategy.microbatches - least % step) % step;
  if (few < strategy.microbatches && holds_more(strategy, few)) return {};
  // Schedules that hold more microbatches take longer to fill, or repeat themselves only every few microbatches. Where
  // all are needed in the end, the attempts have added at most half to the cost.
  std::vector<int> attempts;
  if (2 * few <= strategy.microbatches) attempts.push_back(few);
  const int more = few + (few + step - 1) / step * step;
  if (2 * (few + more) <= strategy.microbatches) attempts.push_back(more);
  return attempts;
}

namespace {

// With `two`, only the first two shards, or ranks, are transformed; also nothing if these do not represent all.
Expected<std::optional<lower::Lowered>> try_lower_alike(const Scenario& scenario, const Sequential& sequential,
                                                        const platform::Platform& platform, int run, bool two,
                                                        const Finished& finished, SharedPrograms* shared) {
  auto places = try_places(scenario, platform);
  if (!places) return places.refusal();
  const auto distributed = try_distribute_alike(sequential, scenario, platform, run, two, shared);
  if (!distributed) return distributed.refusal();
  const ir::Module& module = distributed->module;
  tell(finished, kDistributed);
  const interpret::MixedInterpretation interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  tell(finished, kInterpreted);
  lower::Options options = scenario.collectives;
  options.places         = *std::move(places);
  if (run > 0) {
    auto inputs = left_out(module.entry(), interpretation, distributed->split_data, Pipes(scenario.strategy, run));
    if (!inputs) return std::optional<lower::Lowered>();
    options.inputs = *std::move(inputs);
  }
  return at_place(scenario.file, [&]() -> std::optional<lower::Lowered> {
    if (!distributed->written.all())
      return lower::lower_written(module, interpretation, scenario.cost, platform, distributed->replicas,
                                  distributed->written, options);
    return lower::lower_replicas(module, interpretation, scenario.cost, platform, distributed->replicas, options);
  });
}

}  // namespace

Expected<std::optional<lower::Lowered>> try_lower_some(const Scenario& scenario, const Sequential& sequential,
                                                       const platform::Platform& platform, int run,
                                                       const Finished& finished, SharedPrograms* shared) {
  auto lowered = try_lower_alike(scenario, sequential, platform, run, true, finished, shared);
  if (lowered && !*lowered) lowered = try_lower_alike(scenario, sequential, platform, run, false, finished, shared);
  if (lowered && *lowered) tell(finished, kLowered);
  return lowered;
}

namespace {

using StorageRef = std::shared_ptr<const stream::Storage>;

// The contents of memory in a program of that many microbatches, buffer by buffer: a simulation that goes on for longer
// than the program of a few executes the items of this one. Null if it is not known.
Expected<StorageRef> storage_of(int microbatches, const Scenario& scenario, const Sequential& sequential,
                                const platform::Platform& platform, SharedPrograms* shared) {
  const int all = scenario.strategy.microbatches;
  if ((all - microbatches) % step_of(scenario.strategy) != 0) return StorageRef();
  const int run      = microbatches == all ? 0 : microbatches;
  const auto lowered = try_lower_some(scenario, sequential, platform, run, {}, shared);
  if (!lowered) return lowered.refusal();
  return *lowered ? (*lowered)->compact.storage : StorageRef();
}

// Sets the storage of each device that runs more than the few. False if one is not known.
Expected<bool> set_storages(int few, simulate::RunOfRounds& found, const Scenario& scenario,
                            const Sequential& sequential, const platform::Platform& platform, SharedPrograms* shared) {
  stream::Program& program = found.run->program;
  std::map<int64_t, StorageRef> storages;  // by microbatches
  for (size_t device = 0; device < program.devices.size(); ++device) {
    const int64_t run = found.rounds[device];
    if (run <= few) continue;
    const auto [storage, fresh] = storages.try_emplace(run);
    if (fresh) {
      auto made = storage_of(static_cast<int>(run), scenario, sequential, platform, shared);
      if (!made) return made.refusal();
      storage->second = *std::move(made);
    }
    if (storage->second == nullptr) return false;
    program.devices[device].storage = storage->second;
  }
  for (stream::Stream& stream : program.streams) {
    if (nth(found.rounds, stream.device) > few) stream.repeated = {};
  }
  return true;
}

}  // namespace

Expected<std::optional<Prediction>> try_predict_from_few(int few, const Scenario& scenario,
                                                         const Sequential& sequential,
                                                         const platform::Platform& platform, SharedPrograms* shared) {
  const auto lowered = try_lower_some(scenario, sequential, platform, few, {}, shared);
  if (!lowered) return lowered.refusal();
  if (!*lowered) return std::optional<Prediction>();
  const int all = scenario.strategy.microbatches;
  auto found    = at_place(scenario.file, [&] {
    return scenario.engine->run((*lowered)->compact, rounds_of(scenario.strategy, few), platform, scenario.simulation);
  });
  if (!found) return std::optional<Prediction>();
  if (!found->run) {
    const auto more = static_cast<int>((all - few) % found->at_once);
    if (more % step_of(scenario.strategy) != 0 || few + more >= all) return std::optional<Prediction>();
    return try_predict_from_few(few + more, scenario, sequential, platform, shared);
  }
  if (scenario.allocator != "exact") {
    const auto known = set_storages(few, *found, scenario, sequential, platform, shared);
    if (!known) return known.refusal();
    if (!*known) return std::optional<Prediction>();
  }
  const report::Job job = describe(scenario, sequential, **lowered, platform, found->executions);
  auto summary          = report::summarise(job, found->run->program, found->run->timeline, platform);
  if (found->longer) {
    const auto longer = report::summarise(job, found->longer->program, found->longer->timeline, platform);
    auto all          = report::after_periods(summary, longer, found->periods);
    if (!all) return std::optional<Prediction>();
    summary = *std::move(all);
  }
  return std::optional<Prediction>(
      Prediction{std::move(found->run->program), std::move(found->run->timeline), std::move(summary)});
}

}  // namespace foreflow::scenario
