#include <array>
#include <string_view>

#include "foreflow/base/error.h"
#include "reproduce/iterations.h"

namespace foreflow::reproduce::definitions::llm_foundry {
namespace {

// A model of the authors' configurations (llm-foundry/scripts/train/yamls/pretrain); its sizes give the number of
// parameters that the rows state.
struct Size {
  std::string_view name;
  int64_t hidden, layers, heads;
};
constexpr Size kSizes[] = {{"125m", 768, 12, 12}, {"350m", 1024, 24, 16}, {"760m", 1536, 24, 12},
                           {"1b", 2048, 24, 16},  {"3b", 2560, 32, 20},   {"7b", 4096, 32, 32},
                           {"13b", 5120, 40, 40}, {"30b", 7168, 48, 56},  {"70b", 8192, 80, 64}};

const Size& size_of(const Published& row) {
  for (const Size& size : kSizes) {
    if (size.name == row.word("Model")) return size;
  }
  throw Error("llm_foundry", "\"" + row.word("Model") + "\" is no model that is known; it would be 125m to 70b");
}

// Bytes that FSDP and torch.autocast move on the device for a gradient that is summed. Composer's mixed precision
// DEFAULT (get_mixed_precision, 0.11 to 0.16) sets no param_dtype, so Float32 is gathered, which autocast converts
// (strategy.float_gathers), and sums bf16: gradients are converted back (workload.float_gradients), put side by side
// (8), converted (strategy.reduce_dtype) and divided (4). PURE does all in bf16: side by side (4), divided (4).
const char* reduced_bytes(bool pure) { return pure ? "8B" : "12B"; }

void adjust(const Published& row, Json& scenario) {
  const Size& size = size_of(row);
  const bool eight = row.word("Precision").find("fp8") != std::string::npos;
  const auto on    = [&](const char* column) { return row.word(column) == "True"; };
  scenario.member("workload")
      .set("hidden", size.hidden)
      .set("layers", size.layers)
      .set("heads", size.heads)
      .set("dtype", eight ? "fp8" : "bf16")
      .set("float_gradients", row.word("MP Mode") != "PURE")
      .set("float_logits", false)  // the fused cross entropy of FlashAttention reads bf16 and makes its gradient there
      // Under torch.autocast, which leaves embeddings and what is added to them in Float32.
      .set("fp32_residual", row.word("Precision").starts_with("amp_"));
  const bool pure = row.word("MP Mode") == "PURE";
  scenario.member("strategy")
      .set("recompute", on("Activation Checkpointing") ? "full" : "none")
      .set("float_gathers", !pure)
      .set("reduce_dtype", pure ? "gradient" : "bf16");
  scenario.member("cost").set("reduced_bytes", reduced_bytes(pure));
  const std::string& gpu = row.word("GPU");
  scenario.member("platform")
      .set("topology", gpu == "h100_80gb"   ? "dgx_h100"
                       : gpu == "a100_80gb" ? "dgx_a100"
                                            : "p4d");
}

double seconds(const Published& row) { return row.number("GlobalBatchSize (T)") / row.number("Throughput (T/s)"); }

Result run(const Options& options) {
  return run_iterations({.file     = "llm_foundry_8gpu.csv",
                         .scenario = "llm_foundry",
                         .columns  = {{"SeqLen (T)", "workload.sequence"},
                                      {"MicroBatchSize", "strategy.microbatch_size"},
                                      {"GlobalBatchSize", "strategy.global_batch"}},
                         .adjust   = adjust,
                         .seconds  = seconds},
                        options);
}

}  // namespace

ReproductionDef row() {
  return {"llm_foundry", "149 measured iterations of MPT of 125M to 30B parameters on 8 A100 and 8 H100, FSDP",
          "mosaicml/llm-foundry (Apache-2.0)", run};
}

}  // namespace foreflow::reproduce::definitions::llm_foundry
