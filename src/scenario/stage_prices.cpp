#include "scenario/stage_prices.h"

#include "foreflow/cost/signature.h"

namespace foreflow::scenario {
namespace {

// A message between two devices at what the slowest link on its way lets through; 0 on one device.
double seconds_per_byte(const platform::Platform& platform, int from, int to) {
  double slowest = 0;
  for (const int link : platform.route(from, to).links)
    slowest = std::max(slowest, 1 / platform.links()[static_cast<size_t>(link)].payload().value());
  return slowest;
}

// As a ring does it (n - 1 steps of an n-th each, an all-reduce twice).
Seconds message(const ir::OpCall& call, std::span<const ir::Type> outputs, double seconds_per_byte) {
  const auto ranks   = static_cast<double>(std::max(call.arity(), outputs.size()));
  const double turns = call.def.name == "MPIAllreduce" ? 2 : 1;
  const Bytes bytes  = cost::message_bytes(call.def, call.inputs[0], outputs[0]);
  return Seconds(turns * (ranks - 1) / ranks * bytes.value() * seconds_per_byte);
}

}  // namespace

transform::StagePrices stage_prices(const Scenario& scenario, const platform::Platform& platform) {
  const Strategy& strategy       = scenario.strategy;
  const std::vector<int> devices = places(scenario, platform);
  const auto at                  = [&](int rank) { return devices[static_cast<size_t>(rank)]; };
  transform::StagePrices prices;
  prices.memory           = platform.devices()[static_cast<size_t>(at(0))].memory;
  prices.seconds_per_byte = strategy.pp > 1 ? seconds_per_byte(platform, at(0), at(strategy.tp)) : 0;
  const double in_group   = strategy.tp > 1 ? seconds_per_byte(platform, at(0), at(1)) : 0;
  prices.op = [&cost = scenario.cost, &device = platform.devices()[static_cast<size_t>(at(0))], in_group](
                  const ir::OpCall& call, std::span<const ir::Type> outputs) {
    const cost::Application application{call, outputs};
    if (call.def.role != ir::Role::communication) return cost.compute(application, device).time;
    const Seconds fixed = cost.communication(application, static_cast<int>(call.arity()));
    return fixed < Seconds(0) ? message(call, outputs, in_group) : fixed;
  };
  return prices;
}

}  // namespace foreflow::scenario
