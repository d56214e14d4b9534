#include "scenario/distribution/stage_prices.h"

#include <algorithm>
#include <limits>
#include <map>
#include <type_traits>

#include "foreflow/base/nth.h"
#include "foreflow/cost/signature.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/lower/reshard_op.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/by_node.h"
#include "foreflow/transform/split_data.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario {
namespace {

constexpr double kFastest = std::numeric_limits<double>::infinity();

// Time of a message between two devices, at the bandwidth of the slowest link of its route; 0 within a device.
double seconds_per_byte(const platform::Platform& platform, int from, int to) {
  const platform::Route route = platform.route(from, to);
  double slowest              = route.limit > BytesPerSecond(0) ? 1 / route.limit.value() : 0;
  for (const int link : route.links)
    slowest = std::max(slowest, 1 / platform.links().like(static_cast<size_t>(link)).payload().value());
  return slowest;
}

// Number of replicas, where those that share experts count as one.
int replicas_of(const Strategy& strategy) {
  return strategy.dp / transform::replicas_in_group(strategy.cp, strategy.ep);
}

// Number of devices that hold one stage of one replica.
int devices_of_stage(const Strategy& strategy) {
  int devices = strategy.tp;
  for (const transform::DataSplitStep& step : transform::data_split_steps(strategy.cp, strategy.ep))
    devices *= step.ways;
  return devices;
}

// The first rank of each device of the pipeline, and behind them the number of ranks of a replica.
std::vector<size_t> first_ranks(const Strategy& strategy) {
  std::vector<size_t> all;
  for (int device = 0; device <= strategy.pp; ++device)
    all.push_back(static_cast<size_t>(strategy.has_unequal_stages()
                                          ? strategy.first_rank(device) * strategy.replicas_sharing()
                                          : device * devices_of_stage(strategy)));
  return all;
}

// The first two ranks of a tensor-parallel group.
std::pair<size_t, size_t> ranks_in_group(const Strategy& strategy) {
  int device = 0;
  while (strategy.shards_of(device) == 1) ++device;
  const size_t first = nth(first_ranks(strategy), device);
  return {first, first + 1};
}

// Number of nodes that `ranks` ranks are on, beginning with those of a tensor-parallel group.
int nodes_of_group(const platform::Platform& platform, const Strategy& strategy, const std::vector<int>& devices,
                   int ranks) {
  const auto first =
      devices.begin() + static_cast<std::ptrdiff_t>(strategy.tp > 1 ? ranks_in_group(strategy).first : 0);
  const auto last = devices.end() - first > ranks ? first + ranks : devices.end();
  return static_cast<int>(platform::by_node(platform, {first, last}).size());
}

// Calls `visit` with the first ranks of each device of the pipeline and of the next one, in the first replica. With
// several stages per device this includes the last device and the first.
template <typename Visit>
void for_each_hop(const Strategy& strategy, const Visit& visit) {
  const auto stages              = static_cast<size_t>(strategy.pp);
  const std::vector<size_t> rank = first_ranks(strategy);
  const bool around = strategy.schedule->mapping == schedule::StageMapping::looped && strategy.schedule_size.chunks > 1;
  for (size_t stage = 0; stage + (around ? 0 : 1) < stages; ++stage) visit(rank[stage], rank[(stage + 1) % stages]);
}

// Time of a message between stages, alone on the slowest route from a stage to the next.
Seconds slowest_hop(const platform::Platform& platform, const Strategy& strategy, const std::vector<int>& devices,
                    Bytes bytes) {
  Seconds slowest(0);
  for_each_hop(strategy, [&](size_t first, size_t second) {
    const int from = devices[first], to = devices[second];
    slowest = std::max(slowest, platform.step_latency(platform.route(from, to)) +
                                    Seconds(seconds_per_byte(platform, from, to) * bytes.value()));
  });
  return slowest;
}

// As StagePrices::seconds_per_byte. The messages of a stage's devices leave at the same time, and share links.
double busy_per_byte(const platform::Platform& platform, const Strategy& strategy, const std::vector<int>& devices) {
  const size_t group = strategy.has_unequal_stages() ? 1 : static_cast<size_t>(devices_of_stage(strategy));
  double slowest     = 0;
  for_each_hop(strategy, [&](size_t from, size_t to) {
    std::map<int, int> messages;  // by link
    for (size_t i = 0; i < group; ++i) {
      slowest = std::max(slowest, seconds_per_byte(platform, devices[from + i], devices[to + i]));
      for (const int link : platform.route(devices[from + i], devices[to + i]).links) ++messages[link];
    }
    for (const auto& [number, crossing] : messages) {
      const platform::Link& link = platform.links().like(static_cast<size_t>(number));
      if (!link.fat) slowest = std::max(slowest, crossing / link.payload().value());
    }
  });
  return slowest;
}

// As StagePrices::accumulate.
std::function<Seconds(const ir::Type&)> time_to_accumulate(const Scenario& scenario, const platform::Device& device) {
  if (!accumulates(scenario)) return {};
  return [&cost = scenario.cost, &device](const ir::Type& gradient) {
    static const ir::OpDef& add = ops::table().get("Add", "ops");
    const ir::Attributes none;
    const std::vector<ir::Type> terms(2, gradient);
    const std::vector<const ir::Array*> known(2, nullptr);
    return cost.compute({{add, none, terms, known, 1}, std::span(terms).first(1)}, device).time;
  };
}

// As in a ring: n - 1 steps of 1/n of the bytes each; an all-reduce takes twice as many.
Seconds message(const ir::OpCall& call, std::span<const ir::Type> outputs, double seconds_per_byte) {
  const auto ranks   = static_cast<double>(ir::ranks_of(call.attributes, std::max(call.arity(), outputs.size())));
  const double turns = call.def.communication == ir::Communication::all_reduce ? 2 : 1;
  const Bytes bytes  = cost::message_bytes(call.def, call.inputs[0], outputs[0]);
  return Seconds(turns * (ranks - 1) / ranks * bytes.value() * seconds_per_byte);
}

Seconds time_of_ops(const ir::Module& module, const interpret::MixedInterpretation& meaning,
                    const cost::CostModel& cost, const platform::Device& device) {
  const ir::Function& entry = module.entry();
  const auto& values        = meaning.entry().values;
  Seconds sum(0);
  for (const ir::Op& op : entry.ops) {
    if (op.is_call() || op.def->role == ir::Role::communication) continue;
    std::vector<ir::Type> inputs, outputs;
    for (const ir::ValueId id : entry.inputs(op))
      inputs.push_back(id == ir::ValueId::none ? ir::Type() : values[ir::index(id)].type);
    for (uint32_t i = 0; i < op.result_count; ++i) outputs.push_back(values[op.first_result + i].type);
    const std::vector<const ir::Array*> known(inputs.size(), nullptr);
    sum += cost.compute({{*op.def, *op.attributes, inputs, known, op.result_count}, outputs}, device).time;
  }
  return sum;
}

// Per device of the pipeline: the least value that `of` has for one of its ranks, in all replicas.
template <typename Of>
auto least_by_device(const Strategy& strategy, const Of& of) {
  const std::vector<size_t> first = first_ranks(strategy);
  std::vector<std::invoke_result_t<Of, size_t>> least;
  for (size_t device = 0; device + 1 < first.size(); ++device) least.push_back(of(first[device]));
  for (size_t rank = 0; rank < static_cast<size_t>(strategy.devices()); ++rank) {
    const auto next = std::upper_bound(first.begin(), first.end(), rank % first.back());
    auto& here      = nth(least, next - first.begin() - 1);
    here            = std::min(here, of(rank));
  }
  return least;
}

// Per device of the pipeline: how many times faster than the first device of the scenario its slowest one computes the
// ops of the entry function; empty when all are equal.
std::vector<double> device_speeds(const ir::Module& module, const Scenario& scenario,
                                  const platform::Platform& platform) {
  const Strategy& strategy       = scenario.strategy;
  const std::vector<int> devices = places(scenario, platform);
  const auto at                  = [&](size_t rank) -> const platform::Device& {
    return platform.devices().like(static_cast<size_t>(devices[rank]));
  };
  const auto used = static_cast<size_t>(strategy.devices());
  std::vector<size_t> kinds, kind_of;  // the first rank of each kind of device; the kind of each rank
  for (size_t rank = 0; rank < used; ++rank) {
    const auto known = std::find_if(kinds.begin(), kinds.end(),
                                    [&](size_t first) { return platform::same_speed(at(first), at(rank)); });
    kind_of.push_back(static_cast<size_t>(known - kinds.begin()));
    if (known == kinds.end()) kinds.push_back(rank);
  }
  if (kinds.size() < 2) return {};
  const auto meaning = interpret::interpret_mixed(module, module.functions.size() - 1);
  std::vector<Seconds> times;
  for (const size_t first : kinds) times.push_back(time_of_ops(module, meaning, scenario.cost, at(first)));
  return least_by_device(strategy, [&](size_t rank) { return times.front() / times[kind_of[rank]]; });
}

// As StagePrices::memory.
std::vector<Bytes> memory_by_device(const Strategy& strategy, const platform::Platform& platform,
                                    const std::vector<int>& devices) {
  const auto of = [&](size_t rank) { return platform.devices().like(static_cast<size_t>(devices[rank])).memory; };
  const std::vector<platform::Device>& kinds = platform.devices().kinds();
  if (std::all_of(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.memory == kinds.front().memory; }))
    return {of(0)};
  std::vector<Bytes> memory = least_by_device(strategy, of);
  if (std::adjacent_find(memory.begin(), memory.end(), std::not_equal_to<>()) == memory.end()) memory.resize(1);
  return memory;
}

// How long a Reshard between two devices of the pipeline takes alone, in the first replica.
std::function<Seconds(const ir::OpCall&, std::span<const ir::Type>, int, int)> time_of_reshard(
    const Scenario& scenario, const platform::Platform& platform, const std::vector<int>& devices) {
  lower::Options options;
  options.places     = devices;
  options.resharding = scenario.strategy.resharding;
  return [&scenario, &platform, options, first = first_ranks(scenario.strategy)](
             const ir::OpCall& call, std::span<const ir::Type> outputs, int from, int to) {
    const auto placed = [&](std::span<const ir::Type> types, int device) {
      std::vector<ir::Type> all;
      for (const ir::Type& type : types)
        all.push_back(ir::moved(type, ir::Device(static_cast<int>(nth(first, device) + all.size()) + 1)));
      return all;
    };
    const stream::Program program =
        lower::reshard_program(call.attributes, placed(call.inputs, from), placed(outputs, to), {platform}, options);
    return scenario.engine->run(program, platform).makespan;
  };
}

}  // namespace

std::vector<double> speeds_of_stages(const ir::Module& module, const Scenario& scenario,
                                     const platform::Platform& platform) {
  const Strategy& strategy = scenario.strategy;
  const bool is_balanced   = strategy.partition == transform::StagePartition::balanced && strategy.shares.empty();
  if (!is_balanced || is_uniform(platform)) return {};
  const std::vector<double> by_device = device_speeds(module, scenario, platform);
  if (by_device.empty()) return {};
  const schedule::ScheduleDef& row = *strategy.schedule;
  const schedule::Size& size       = strategy.schedule_size;
  std::vector<double> speeds(static_cast<size_t>(schedule::stages(row.mapping, size)), kFastest);
  for (int device = 0; device < size.devices; ++device) {
    for (int chunk = 0; chunk < size.chunks; ++chunk) {
      double& speed = nth(speeds, schedule::stage_of(row.mapping, size, device, chunk));
      speed         = std::min(speed, nth(by_device, device));
    }
  }
  return speeds;
}

double seconds_per_byte_in_group(const Scenario& scenario, const platform::Platform& platform) {
  if (scenario.strategy.tp == 1) return 0;
  const std::vector<int> devices = places(scenario, platform);
  const auto [one, other]        = ranks_in_group(scenario.strategy);
  return seconds_per_byte(platform, devices[one], devices[other]);
}

bool accumulates(const Scenario& scenario) {
  const Strategy& strategy = scenario.strategy;
  const bool is_sharded    = strategy.zero >= 2 && replicas_of(strategy) > 1;
  return scenario.workload.trains() && strategy.microbatches > 1 && !is_sharded;
}

transform::StagePrices stage_prices(const Scenario& scenario, const platform::Platform& platform) {
  const Strategy& strategy       = scenario.strategy;
  const std::vector<int> devices = places(scenario, platform);
  transform::StagePrices prices;
  prices.replicas         = replicas_of(strategy);
  prices.zero             = strategy.zero;
  prices.bucket           = strategy.bucket;
  prices.blocks           = strategy.by_block ? static_cast<int>(layers_of(scenario.workload)) : 0;
  prices.memory           = memory_by_device(strategy, platform, devices);
  prices.seconds_per_byte = busy_per_byte(platform, strategy, devices);
  prices.overlaps_sends   = strategy.overlap_sends;
  prices.hop = [&platform, &strategy, devices](Bytes bytes) { return slowest_hop(platform, strategy, devices, bytes); };
  if (strategy.has_unequal_stages()) prices.reshard = time_of_reshard(scenario, platform, devices);
  const platform::Device& device = platform.devices().like(static_cast<size_t>(devices.front()));
  prices.accumulate              = time_to_accumulate(scenario, device);
  const double in_group          = seconds_per_byte_in_group(scenario, platform);
  prices.op                      = [&scenario, &platform, &device, devices, in_group](const ir::OpCall& call,
                                                                 std::span<const ir::Type> outputs) {
    const cost::Application application{call, outputs};
    if (call.def.role != ir::Role::communication) return scenario.cost.compute(application, device).time;
    const auto ranks               = static_cast<int>(ir::ranks_of(call.attributes, call.arity()));
    const cost::MessagePrice price = scenario.cost.communication(application, ranks);
    const auto fixed =
        price.measured.empty() ? price.anywhere : price.on(nodes_of_group(platform, scenario.strategy, devices, ranks));
    return fixed ? fixed->time : message(call, outputs, in_group);
  };
  return prices;
}

bool is_uniform(const platform::Platform& platform) {
  const std::vector<platform::Device>& kinds = platform.devices().kinds();
  return std::all_of(kinds.begin(), kinds.end(),
                     [&](const platform::Device& device) { return platform::same_speed(device, kinds.front()); });
}

}  // namespace foreflow::scenario
