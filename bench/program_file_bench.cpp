// Programs as text and as `.distirb`: the 175B GPT-2 graph (20,305 nodes).
#include <benchmark/benchmark.h>

#include "foreflow/binary/distirb.h"
#include "foreflow/ir/text.h"
#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"

namespace {

using namespace foreflow;

ir::Module graph_175b() {
  const std::string bytes = onnx::write_gpt2({96, 96, 12288, 50257, 1024});
  return onnx::import_bytes(bytes, "bench", ops::table(), onnx::Numbers::skip).module;
}

// `use(input)` over and over; a byte is one of the form's.
template <class Input, class Use>
void time_it(benchmark::State& state, const Input& input, size_t bytes, Use use) {
  for (auto _ : state) benchmark::DoNotOptimize(use(input));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * bytes));
  state.counters["bytes"] = static_cast<double>(bytes);
}

void print_text(benchmark::State& state) {
  const ir::Module module = graph_175b();
  time_it(state, module, ir::print(module).size(), [](const ir::Module& m) { return ir::print(m); });
}

void parse_text(benchmark::State& state) {
  const std::string text = ir::print(graph_175b());
  time_it(state, text, text.size(), [](const std::string& t) { return ir::parse(t, "bench", ops::table()); });
}

void write_binary(benchmark::State& state) {
  const ir::Module module = graph_175b();
  time_it(state, module, binary::write(module).size(), [](const ir::Module& m) { return binary::write(m); });
}

void read_binary(benchmark::State& state) {
  const std::string bytes = binary::write(graph_175b());
  time_it(state, bytes, bytes.size(), [](const std::string& b) { return binary::read(b, "bench", ops::table()); });
}

BENCHMARK(print_text)->Unit(benchmark::kMillisecond);
BENCHMARK(parse_text)->Unit(benchmark::kMillisecond);
BENCHMARK(write_binary)->Unit(benchmark::kMillisecond);
BENCHMARK(read_binary)->Unit(benchmark::kMillisecond);

}  // namespace
