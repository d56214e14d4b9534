#include "cost/data_forms.h"

#include <fmt/core.h>

#include <algorithm>

#include "cost/data_efficiency.h"
#include "cost/data_kernels.h"
#include "cost/laws/tiles.h"

namespace foreflow::cost {
namespace {

bool is_unaligned(double row, double element) { return static_cast<int64_t>(row * element) % 16 != 0; }

// `in` and `out`: bytes of an element of the operands and of the result.
Sample product(const FieldsOfRow& row, double in, double out, double shortest_row) {
  const double unaligned = is_unaligned(shortest_row, in) ? 1 : 0;
  return {{row.number("m"), row.number("n"), row.number("k"), in, out, unaligned}, row.number("latency_ms") * 1e-3};
}

Chooser chooser_of_serving(bool bytes, const std::string& device) {
  if (device.starts_with("b")) return Chooser::blackwell;
  return bytes && device == "l40s" ? Chooser::vllm_ada : Chooser::library;
}

// The layers of vLLM.
std::vector<Measured> gemm(const FieldsOfRow& row, const std::string& device) {
  const bool bytes = row.text("dtype") == "fp8";
  // Rows of A and B have k elements, rows of C have n.
  const double odd = is_unaligned(row.number("k"), bytes ? 1 : 2) ? row.number("k") : row.number("n");
  Sample sample    = product(row, bytes ? 1 : 2, 2, odd);
  sample.sizes[7]  = static_cast<double>(chooser_of_serving(bytes, device));
  return {{"product", bytes ? "f8" : "bf16", sample}};
}

// Columns are contiguous: A has rows of m, or of k where it is transposed; B of k, or of n; C of m.
std::vector<Measured> deep_bench(const FieldsOfRow& row, const std::string&) {
  const bool half      = row.text("sheet_precision").find("FP16") != std::string::npos;
  const double element = half ? 2 : 4;
  const double rows[]  = {row.number("m"), row.number(row.text("a_transpose") == "T" ? "k" : "m"),
                          row.number(row.text("b_transpose") == "T" ? "n" : "k")};
  const auto odd =
      std::find_if(std::begin(rows), std::end(rows), [&](double length) { return is_unaligned(length, element); });
  Sample sample   = product(row, element, element, odd == std::end(rows) ? rows[0] : *odd);
  sample.sizes[8] = row.text("a_transpose") == "T" ? 1 : 0;
  sample.sizes[9] = row.text("b_transpose") == "T" ? 0 : 1;
  return {{"product", half ? "f16" : "f32", sample}};
}

std::vector<Measured> attention(const FieldsOfRow& row, const std::string&) {
  constexpr double kShortest = 16;  // below, a sequence is decoded by other kernels
  if (row.text("kv_cache_dtype") != "bfloat16" || row.number("isl") < kShortest) return {};
  const Sizes sizes{row.number("batch_size"),
                    row.number("isl"),
                    row.number("num_heads"),
                    row.number("num_key_value_heads"),
                    row.number("head_dim"),
                    2,
                    0,
                    1};
  return {{"attention", "bf16", {sizes, row.number("latency_ms") * 1e-3}}};
}

Measured collective(std::string kind, double ranks, double bytes, double seconds, const std::string& device) {
  const bool sums    = kind == "all_reduce";
  const double steps = (sums ? 2 : 1) * (ranks - 1);
  // From Hopper on, the switch can add. Where there is no switch but bridges or a mesh of NVLinks, every number of
  // ranks has other links.
  const bool switch_adds = sums && (device.starts_with("h") || device.starts_with("b"));
  const bool no_switch   = device == "l40s" || device == "v100";
  if (no_switch) kind += fmt::format(" over {}", ranks);
  return {"collective",
          std::move(kind),
          {{ranks, bytes, steps, steps / ranks * bytes, switch_adds ? 1.0 : 0.0, 0}, seconds}};
}

std::vector<Measured> nccl(const FieldsOfRow& row, const std::string& device) {
  const std::string& kind = row.text("collective");
  return {collective(kind == "alltoall" ? "all_to_all" : kind, row.number("gpus"), row.number("message_bytes"),
                     row.number("latency_ms") * 1e-3, device)};
}

std::vector<Measured> nccl_all_reduce(const FieldsOfRow& row, const std::string& device) {
  return {collective("all_reduce", row.number("gpus"), row.number("size_bytes"), row.number("time_ns") * 1e-9, device)};
}

// Operators of a transformer layer with gated MLP; t shards. Times have microseconds only, so short ones say nothing.
// For devices that were not measured otherwise, the products of the layer are taken as well, where h, f and n are the
// sizes of a token, of the MLP and of all tokens:
//   mlp_up_proj [n,h] [h,2f/t]   mlp_down_proj [n,f/t] [f/t,h]   attn_pre_proj [n,h] [h,3h/t]   attn_post_proj
//   [n,h/t] [h/t,h].
std::vector<Measured> layer(const FieldsOfRow& row, const std::string& device) {
  constexpr double kShortest = 5e-3;  // ms
  const double tokens = row.number("num_tokens"), hidden = row.number("n_embd"),
               shards = row.number("num_tensor_parallel_workers");
  std::vector<Measured> found;
  // An addition reads two tensors and writes one.
  const double addition = row.number("time_stats.add.median");
  if (shards == 1 && addition >= kShortest)
    found.push_back({"traffic", "element-wise", {{3 * 2 * tokens * hidden, 1}, addition * 1e-3}});
  if (device != "a40") return found;
  const double inner = row.number("n_expanded_embd") / shards;
  const auto take    = [&](const char* column, double n, double k) {
    const double time = row.number(column);
    if (time >= kShortest) found.push_back({"product", "f16", {{tokens, n, k, 2, 2, 0}, time * 1e-3}});
  };
  take("time_stats.mlp_up_proj.median", 2 * inner, hidden);
  take("time_stats.mlp_down_proj.median", hidden, inner);
  take("time_stats.attn_pre_proj.median", 3 * hidden / shards, hidden);
  take("time_stats.attn_post_proj.median", hidden, hidden / shards);
  return found;
}

// Tensors in 16 bits, which are read and written once. They were issued one by one, so short times are those of the
// host.
std::vector<Measured> throughput(const FieldsOfRow& row, const std::string&) {
  constexpr double kShortest = 2e-4;  // s
  const bool norm            = row.text("op") != "gelu";
  const double elements      = row.number("M") * (norm ? row.number("N") : 1);
  const double seconds       = elements / (row.number("throughput_Gelements_per_s") * 1e9);
  if (seconds < kShortest) return {};
  return {{"traffic", norm ? "normalisation" : "element-wise", {{4 * elements, 1}, seconds}}};
}

}  // namespace

const std::vector<DataForm>& data_forms() {
  static const std::vector<DataForm> forms = {
      {"sheet_precision", false, deep_bench, "baidu-research/DeepBench (Apache-2.0)"},
      {"num_key_value_heads", false, attention, "ai-dynamo/aiconfigurator (Apache-2.0)"},
      {"collective", true, nccl, "ai-dynamo/aiconfigurator (Apache-2.0)"},
      {"time_ns", true, nccl_all_reduce, "VIA-Research/vTrain (MIT)"},
      {"throughput_Gelements_per_s", true, throughput, "LLMCompass (BSD-3)"},
      {"time_stats.add.median", false, layer, "microsoft/vidur (MIT)"},
      {"efficiency_fraction_of_peak", false, efficiency_in_training, "MooreThreads/SimuMax (Apache-2.0)"},
      {"signature", false, kernels_in_training, "Foreflow's own", Fits::clock},
      {"latency_ms", false, gemm, "ai-dynamo/aiconfigurator (Apache-2.0)"},
  };
  return forms;
}

}  // namespace foreflow::cost
