// The front half of the chain on large programs without functions: text to program, program to shapes and devices. The
// original does about 13,000 ops a second from end to end.
#include <benchmark/benchmark.h>

#include "flat_program.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"

namespace {

using namespace foreflow;

// The 175B GPT-2 graph (20,305 nodes) for one sample of 8 tokens.
std::string gpt_175b() {
  const std::string bytes       = onnx::write_gpt2({96, 96, 12288, 50257, 1024});
  const onnx::Imported imported = onnx::import_bytes(bytes, "bench", ops::table(), onnx::Numbers::skip);
  return ir::print(scenario::with_shapes(imported, {{"input1", {1, 1, 8}}}, "bench"));
}

void rate(benchmark::State& state, const ir::Module& module) {
  const auto ops          = static_cast<double>(module.entry().ops.size());
  state.counters["ops"]   = ops;
  state.counters["ops/s"] = benchmark::Counter(ops, benchmark::Counter::kIsIterationInvariantRate);
}

size_t interpret(const ir::Module& module) {
  return interpret::interpret_mixed(module, module.functions.size() - 1).entry().values.size();
}

void parse(benchmark::State& state, const std::string& text) {
  for (auto _ : state) benchmark::DoNotOptimize(ir::parse(text, "bench", ops::table()).functions.size());
  rate(state, ir::parse(text, "bench", ops::table()));
}

void infer(benchmark::State& state, const std::string& text) {
  const ir::Module module = ir::parse(text, "bench", ops::table());
  for (auto _ : state) benchmark::DoNotOptimize(interpret(module));
  rate(state, module);
}

void both(benchmark::State& state, const std::string& text) {
  for (auto _ : state) benchmark::DoNotOptimize(interpret(ir::parse(text, "bench", ops::table())));
  rate(state, ir::parse(text, "bench", ops::table()));
}

void flat_parse(benchmark::State& state) { parse(state, bench::flat_program(static_cast<int>(state.range(0)))); }
void flat_infer(benchmark::State& state) { infer(state, bench::flat_program(static_cast<int>(state.range(0)))); }
void flat_both(benchmark::State& state) { both(state, bench::flat_program(static_cast<int>(state.range(0)))); }
void gpt_parse(benchmark::State& state) { parse(state, gpt_175b()); }
void gpt_infer(benchmark::State& state) { infer(state, gpt_175b()); }
void gpt_both(benchmark::State& state) { both(state, gpt_175b()); }

BENCHMARK(flat_parse)->Arg(20'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(flat_infer)->Arg(20'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(flat_both)->Arg(20'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(gpt_parse)->Unit(benchmark::kMillisecond);
BENCHMARK(gpt_infer)->Unit(benchmark::kMillisecond);
BENCHMARK(gpt_both)->Unit(benchmark::kMillisecond);

}  // namespace
