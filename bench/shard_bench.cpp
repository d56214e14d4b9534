// Tensor parallelism of training programs of GPT with 70 to 280 layers (5,000 to 20,000 ops), by each plan.
#include <benchmark/benchmark.h>

#include "foreflow/base/json.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/tensor.h"
#include "foreflow/workload/workload.h"

namespace foreflow {
namespace {

constexpr int kWays = 8;

ir::Module step(int64_t layers) {
  Json sizes = Json::object();
  sizes.set("layers", layers).set("hidden", 1024).set("heads", 16).set("sequence", 1024).set("vocabulary", 51200);
  const ir::OpTable& ops           = ops::table();
  const workload::WorkloadDef& gpt = workload::workloads().get("gpt", "bench");
  const workload::Request request{workload::read_key_values(JsonView(sizes, "bench"), gpt.keys), 8, ir::DType::f16,
                                  workload::Mode::training};
  const ir::Module model   = gpt.build(request, ops).module;
  const ir::Module trained = transform::add_optimizer(transform::differentiate(model, ops), ops, "adam");
  return transform::eliminate_dead_code(transform::resolve(trained));
}

void shard(benchmark::State& state, const transform::Sharding& sharding) {
  const ir::Module module = step(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(transform::shard(module, ops::table(), kWays, sharding).module.functions.size());
  const auto count        = static_cast<double>(module.entry().ops.size());
  state.counters["ops"]   = count;
  state.counters["ops/s"] = benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate);
}

using transform::TensorPlan;
BENCHMARK_CAPTURE(shard, automatic, {})->Arg(70)->Arg(140)->Arg(280)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(shard, sequence, {.sequence = true, .vocabulary = true})
    ->Arg(70)
    ->Arg(140)
    ->Arg(280)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(shard, megatron, {.plan = {TensorPlan::Kind::megatron}, .sequence = true, .vocabulary = true})
    ->Arg(70)
    ->Arg(140)
    ->Arg(280)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace foreflow
