// Table 1: what a GPU keeps of one layer of GPT-3 175B (H = 12288) with eight ways of tensor parallelism, counted in
// our own program of a layer: that of two layers less that of one. The paper counts the matrices alone, 12 H^2 / 8.
#include "reproduce/resharding.h"

namespace foreflow::reproduce::definitions::resharding_table1 {
namespace {

using namespace resharding;  // NOLINT(google-build-using-namespace): of this paper

constexpr int64_t kHidden = 12288, kTensor = 8, kTokens = 2048;

double parameters(const Json& source, int layers) {
  Json sized = source;
  sized.member("workload").set("layers", layers);
  return weights_of(sized, "resharding_table1");
}

Result run(const Options& options) {
  Json source;
  source.set("name", "one layer of GPT-3 175B");
  source.set("workload", Json::object()
                             .set("model", "gpt")
                             .set("hidden", kHidden)
                             .set("heads", 96)
                             .set("sequence", kTokens)
                             .set("vocabulary", 512)
                             .set("dtype", "f16"));
  source.set("platform", Json::object().set("topology", "p3_8xlarge").set("nodes", 2));
  source.set("strategy", Json::object().set("global_batch", 1));
  const double weights = (parameters(source, 2) - parameters(source, 1)) / static_cast<double>(kTensor);
  // fp16 weight 2 bytes, fp32 copy 4, two moments of Adam 8.
  constexpr double kBytesOfWeight = 14;
  const auto activation           = static_cast<double>(kTokens * kHidden);
  const auto row                  = [&](const char* what, double ours) {
    return compare_stated(what, stated(options, "1", what), ours);
  };
  Result result;
  result.rows = {row("parameters", weights), row("parameters of the optimizer", 2 * weights),
                 row("elements of an activation", activation),
                 row("weights and optimizer in GiB", kBytesOfWeight * weights / 0x1p30),
                 row("activation in MiB", 2 * activation / 0x1p20)};
  result.notes.push_back(
      "ours are the weights of one more layer in our GPT: biases and normalisations, 13 H, are what the paper leaves "
      "out. The activation is that of 2048 tokens in fp16");
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"resharding_table1",
          "what a GPU keeps of a layer of GPT-3 with tensor parallelism 8: weights against "
          "activations",
          kPaper, run};
}

}  // namespace foreflow::reproduce::definitions::resharding_table1
