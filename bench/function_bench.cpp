// What functions save: GPT-2 graphs of 12 to 192 layers, flat as they are imported and with their layers as one
// function.
#include <benchmark/benchmark.h>

#include "foreflow/interpret/mixed.h"
#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/blocks.h"
#include "foreflow/transform/simplify.h"
#include "points.h"

namespace {

using namespace foreflow;

// GPT-2's smallest size but for the layers, on one sequence of 128 tokens.
ir::Module graph(int64_t layers) {
  onnx::Gpt2Size size;
  size.layers = layers;
  const onnx::Imported imported =
      onnx::import_bytes(onnx::write_gpt2(size), "bench", ops::table(), onnx::Numbers::skip);
  return scenario::with_shapes(imported, {{"input1", {1, 1, 128}}}, "bench");
}

void count(benchmark::State& state, const ir::Module& module) {
  size_t written = 0;
  for (const ir::Function& function : module.functions) written += function.ops.size();
  state.counters["functions"] = static_cast<double>(module.functions.size());
  state.counters["written"]   = static_cast<double>(written);
  state.counters["ops"]       = bench::executed_ops(module);
}

// How many ops the interpreter applies: those of a function once for each signature.
size_t applied_ops(const ir::Module& module) {
  size_t applied = 0;
  for (const auto& instance : interpret::interpret_mixed(module, module.functions.size() - 1).instances) {
    for (const ir::Op& op : module.functions[instance.function].ops) applied += op.is_call() ? 0 : 1;
  }
  return applied;
}

void interpret_all(benchmark::State& state, const ir::Module& module) {
  for (auto _ : state)
    benchmark::DoNotOptimize(interpret::interpret_mixed(module, module.functions.size() - 1).instances.size());
  count(state, module);
  state.counters["applied"] = static_cast<double>(applied_ops(module));
}

void infer_flat_layers(benchmark::State& state) { interpret_all(state, graph(state.range(0))); }
void infer_outlined_layers(benchmark::State& state) { interpret_all(state, transform::outline(graph(state.range(0)))); }

void outline_layers(benchmark::State& state) {
  const ir::Module module = graph(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(transform::outline(module).functions.size());
  count(state, module);
}

void inline_layers(benchmark::State& state) {
  const ir::Module module = transform::outline(graph(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(transform::inline_calls(module).functions.size());
  count(state, module);
}

void import_and_outline_layers(benchmark::State& state) {
  onnx::Gpt2Size size;
  size.layers             = state.range(0);
  const std::string bytes = onnx::write_gpt2(size);
  for (auto _ : state) {
    const onnx::Imported imported = onnx::import_bytes(bytes, "bench", ops::table(), onnx::Numbers::skip);
    benchmark::DoNotOptimize(transform::outline(imported.module).functions.size());
  }
}

void layers(benchmark::internal::Benchmark* benchmark) {
  for (const int64_t count : {12, 24, 48, 96, 192}) benchmark->Arg(count);
  benchmark->Unit(benchmark::kMicrosecond);
}

BENCHMARK(infer_flat_layers)->Apply(layers);
BENCHMARK(infer_outlined_layers)->Apply(layers);
BENCHMARK(outline_layers)->Apply(layers);
BENCHMARK(inline_layers)->Apply(layers);
BENCHMARK(import_and_outline_layers)->Apply(layers);

}  // namespace
