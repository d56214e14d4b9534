#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/error.h"
#include "reproduce/iterations.h"
#include "reproduce/layers.h"

namespace foreflow::reproduce::definitions::sailor_layers {
namespace {

struct Model {
  std::string_view name;
  int64_t hidden, heads, sequence;
};
// As their authors publish them.
constexpr Model kModels[] = {{"OPT-350", 1024, 16, 2048}, {"GPT-Neo-2.7", 2560, 20, 2048}, {"OPT-30", 7168, 56, 2048}};

struct Machine {
  std::string_view gpu, topology;
  int gpus;  // of a server
};
constexpr Machine kMachines[] = {
    {"V100-16", "dgx1", 8}, {"A100-40", "p4d", 8}, {"A100-80", "dgx_a100", 8}, {"GH-96", "alps_gh200", 4}};

template <size_t n, class T>
const T* find(const T (&rows)[n], std::string_view name, std::string_view T::*key) {
  const auto found = std::find_if(std::begin(rows), std::end(rows), [&](const T& row) { return row.*key == name; });
  return found == std::end(rows) ? nullptr : found;
}

// Layers 1 and the last one repeat layer 2; embedding, head and update are no layers. The rows of GPT-Neo on GH200 are
// those of OPT-350, number by number and with its 26 layers: a mistake of the source.
bool counts(const Published& row) {
  if (row.word("model") == "GPT-Neo-2.7" && row.word("gpu") == "GH-96") return false;
  return find(kMachines, row.word("gpu"), &Machine::gpu) != nullptr &&
         find(kModels, row.word("model"), &Model::name) != nullptr && row.whole("layer_index") == 2;
}

// All is fp32: the source does not say so, but its times and its memory do. Products run on the units of TF32 where
// there are any, but for OPT-30 on A100, which reaches 17 TFLOP/s whatever the batch: without them the peak is 19.5.
bool has_tf32(const Published& row) { return row.word("gpu") != "A100-40" || row.word("model") != "OPT-30"; }

void adjust(const Published& row, Json& scenario) {
  const Machine& machine = *find(kMachines, row.word("gpu"), &Machine::gpu);
  const Model& model     = *find(kModels, row.word("model"), &Model::name);
  const int tp           = row.whole("TP");
  scenario.member("workload").set("hidden", model.hidden).set("heads", model.heads).set("sequence", model.sequence);
  scenario.member("cost").set("tf32", has_tf32(row));
  scenario.member("platform").set("topology", std::string(machine.topology));
  scenario.member("platform").set("nodes", (3 * tp + machine.gpus - 1) / machine.gpus);
  scenario.member("strategy").set("tp", tp);
  for (const char* key : {"microbatch_size", "global_batch"})
    scenario.member("strategy").set(key, row.whole("micro_batch"));
}

std::string name(const Published& row) {
  return fmt::format("{} on {}, tp {}, microbatch {}", row.word("model"), row.word("gpu"), row.word("TP"),
                     row.word("micro_batch"));
}

Result run(const Options& options) {
  return run_layers({.file     = "sailor_layer_profiles.csv",
                     .scenario = "sailor_layers",
                     .name     = name,
                     .adjust   = adjust,
                     .passes = {{"forward", "fwd_s", &PassTimes::forward}, {"backward", "bwd_s", &PassTimes::backward}},
                     .counts = counts},
                    options);
}

}  // namespace

ReproductionDef row() {
  return {"sailor_layers", "measured passes of a layer of OPT and GPT-Neo on V100, A100 and GH200, tp 1 to 8",
          "Strati et al., Sailor: Automating Distributed Training over Dynamic, Heterogeneous, and Geo-distributed "
          "Clusters (2025; MIT)",
          run};
}

}  // namespace foreflow::reproduce::definitions::sailor_layers
