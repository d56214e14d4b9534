#include "reproduce/layers.h"

namespace foreflow::reproduce::definitions::korthikanti_layers {
namespace {

bool says(const Published& row, std::string_view word) {
  return row.word("experiment").find(word) != std::string::npos;
}

void adjust(const Published& row, Json& scenario) {
  const char* recompute = says(row, "with recompute") ? "full" : says(row, "Selective") ? "selective" : "none";
  scenario.member("strategy").set("recompute", recompute).set("sequence_parallel", says(row, "Sequence"));
}

Result run(const Options& options) {
  return run_layers(
      {.file     = "korthikanti_table4_22B_layer_ms.csv",
       .scenario = "korthikanti_layers",
       .name     = [](const Published& row) { return row.word("experiment"); },
       .adjust   = adjust,
       .passes   = {{"forward", "forward_ms", &PassTimes::forward}, {"backward", "backward_ms", &PassTimes::backward}},
       .unit     = 1e-3},
      options);
}

}  // namespace

ReproductionDef row() {
  return {"korthikanti_layers",
          "10 measured passes of a layer of GPT 22B on 8 A100: sequence parallelism, recomputation",
          "Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models (2022), table 4", run};
}

}  // namespace foreflow::reproduce::definitions::korthikanti_layers
