// Planning a resharding of rows to columns, from the layouts to the plan: the case 4 of the paper (64 unit tasks),
// 1,024 unit tasks among 8 and among 32 hosts of each side, 262,144 among 64.
#include <benchmark/benchmark.h>

#include <map>

#include "foreflow/reshard/strategy.h"

namespace {

using namespace foreflow;

// Rows to columns, over all devices of meshes of `hosts` x `devices`.
reshard::Move rows_to_columns(int hosts, int devices) {
  return {{"", {4096, 4096, 128}, Bytes(4)},
          {reshard::consecutive({hosts, devices}, 0), reshard::parse_spec("RS01R", "bench")},
          {reshard::consecutive({hosts, devices}, hosts * devices), reshard::parse_spec("S01RR", "bench")}};
}

void plan(benchmark::State& state, const char* strategy, const char* balance) {
  const auto hosts = static_cast<int>(state.range(0)), devices = static_cast<int>(state.range(1));
  std::map<int, int> host_of;
  for (int device = 0; device < 2 * hosts * devices; ++device) host_of.emplace(device, device / devices);
  const auto ports = reshard::uniform_ports(host_of, BytesPerSecond(1.25e9));
  reshard::PlanOptions options;
  options.balance     = &reshard::balances().get(balance, "bench");
  const auto& row     = reshard::strategies().get(strategy, "bench");
  const auto move     = rows_to_columns(hosts, devices);
  const auto volume   = move.tensor.element * (4096.0 * 4096 * 128);
  const Seconds least = volume / (static_cast<double>(hosts) * BytesPerSecond(1.25e9));
  double gap = 0, tasks = 0;
  for (auto _ : state) {
    const auto units = reshard::unit_tasks({move});
    const auto found = row.plan(units, ports, options);
    tasks            = static_cast<double>(units.tasks.size());
    gap              = found.expected / least - 1;
  }
  state.counters["unit_tasks"] = tasks;
  state.counters["gap"]        = gap;
}

BENCHMARK_CAPTURE(plan, ensemble, "broadcast", "ensemble")
    ->Args({2, 4})
    ->Args({8, 4})
    ->Args({32, 1})
    ->Args({64, 8})
    ->Args({512, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan, greedy, "broadcast", "greedy")->Args({8, 4})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan, forward, "forward", "ensemble")->Args({8, 4})->Unit(benchmark::kMillisecond);

}  // namespace
