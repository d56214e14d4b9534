#include <fmt/core.h>

#include "foreflow/cost/device_calibration.h"
#include "reproduce/kernels.h"

namespace foreflow::reproduce::definitions::llmcompass_kernels {
namespace {

constexpr auto kType        = ir::DType::f16;
constexpr double kHostBound = 1e-4;  // s; shorter ones are times of the host, which issues them one by one

const Kernels& a100() {
  static const Kernels kernels("A100-SXM4-80GB");
  return kernels;
}

void add_product(const Published& row, Result& result) {
  const double m = row.number("M"), n = row.number("N"), k = row.number("K");
  if (row.number("latency_ms") * 1e-3 < kHostBound) return;
  result.rows.push_back(compare(fmt::format("product {} x {} x {}", m, n, k), row.number("latency_ms") * 1e-3,
                                a100().product(kType, m, n, k).value()));
}

void add_normalisation(const Published& row, Result& result) {
  const bool flat       = row.word("op") == "gelu";
  const double m        = row.number("M");
  const double n        = flat ? 1 : row.number("N");
  const double measured = m * n / (row.number("throughput_Gelements_per_s") * 1e9);
  const ir::Type x = flat ? tensor_of(kType, {m}) : tensor_of(kType, {m, n}), scale = tensor_of(kType, {n});
  if (measured < kHostBound) return;
  const Seconds ours = flat                          ? a100().op("Gelu", {x})
                       : row.word("op") == "softmax" ? a100().op("Softmax", {x})
                                                     : a100().op("LayerNormalization", {x, scale, scale});
  result.rows.push_back(compare(fmt::format("{} of {} x {}", row.word("op"), m, n), measured, ours.value()));
}

// A layer of GPT-3 on four A100: batch 8, 2048 tokens, or one more token after 3072.
struct LayerOp {
  const char* name;
  Seconds (*price)(bool decodes);
};
constexpr double kBatch = 8, kLength = 2048, kContext = 3072, kHidden = 12288, kHeads = 96, kDevices = 4;
double tokens(bool decodes) { return kBatch * (decodes ? 1 : kLength); }
double keys(bool decodes) { return decodes ? kContext : kLength; }
double rows(bool decodes) { return decodes ? 1 : kLength; }

Seconds norm(bool decodes) {
  const ir::Type scale = tensor_of(kType, {kHidden});
  return a100().op("LayerNormalization", {tensor_of(kType, {tokens(decodes), kHidden}), scale, scale});
}

Seconds sum(bool decodes) {
  const double bytes = 2 * tokens(decodes) * kHidden;
  const auto found   = cost::measured_collective(
        {"A100-SXM4-80GB", "all_reduce", static_cast<int>(kDevices), Bytes(bytes), false, 2 * (kDevices - 1) / kDevices});
  return found.value_or(Seconds(0));
}

constexpr double kPerHead = kHidden / kHeads, kShare = kHidden / kDevices, kInner = 4 * kHidden / kDevices;
constexpr double kScores = kBatch * kHeads / kDevices;

const LayerOp kOps[] = {{"Q_K_V", [](bool d) { return a100().product(kType, tokens(d), 3 * kShare, kHidden); }},
                        {"Q_mul_K", [](bool d) { return a100().product(kType, rows(d), keys(d), kPerHead, kScores); }},
                        {"A_mul_V", [](bool d) { return a100().product(kType, rows(d), kPerHead, keys(d), kScores); }},
                        {"Wo_proj", [](bool d) { return a100().product(kType, tokens(d), kHidden, kShare); }},
                        {"W1_proj", [](bool d) { return a100().product(kType, tokens(d), kInner, kHidden); }},
                        {"W2_proj", [](bool d) { return a100().product(kType, tokens(d), kHidden, kInner); }},
                        {"Softmax",
                         [](bool d) {
                           return a100().op("Softmax", {tensor_of(kType, {kScores * rows(d), keys(d)})});
                         }},
                        {"LayerNorm_MHA", norm},
                        {"LayerNorm_FFN", norm},
                        {"GeLU",
                         [](bool d) {
                           return a100().op("Gelu", {tensor_of(kType, {tokens(d), kInner})});
                         }},
                        {"AllReduce_MHA", sum},
                        {"AllReduce_FFN", sum}};

// Decoding, norms and GELU take 48 us and softmax 17, as long as the host needs to issue them whatever their size.
bool is_host_bound(const Published& row, bool decodes) {
  const std::string& name = row.word("operator");
  return decodes && (name.starts_with("LayerNorm") || name == "GeLU" || name == "Softmax");
}

void add_operator(const Published& row, Result& result) {
  const bool decodes = row.word("phase").starts_with("decode");
  if (is_host_bound(row, decodes)) return;
  for (const LayerOp& op : kOps) {
    if (op.name == row.word("operator"))
      result.rows.push_back(compare(fmt::format("GPT-3 {} {}", decodes ? "decode" : "prefill", op.name),
                                    row.number("measured_s"), op.price(decodes).value()));
  }
}

void add(const Published& row, std::string_view file, Result& result) {
  if (file.starts_with("gpt3")) return add_operator(row, result);
  if (row.word("gpu") != "A100") return;  // no laws of an MI210
  file.starts_with("matmul") ? add_product(row, result) : add_normalisation(row, result);
}

Result run(const Options& options) {
  Result result =
      run_kernels({{"matmul.csv", "elementwise_normalization.csv", "gpt3_layer_breakdown_A100x4.csv"}, add}, options);
  note_groups(result, {"product", "softmax", "layernorm", "gelu", "GPT-3 prefill", "GPT-3 decode"});
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"llmcompass_kernels", "measured products, norms, softmax and GELU on an A100, and a layer of GPT-3 on four",
          "Zhang et al., LLMCompass: Enabling Efficient Hardware Design for Large Language Model Inference, ISCA 2024 "
          "(BSD-3)",
          run};
}

}  // namespace foreflow::reproduce::definitions::llmcompass_kernels
