// Stores of sweeps (SQLite): the sweep that left one behind goes on with it.
#include "foreflow/base/text.h"
#include "foreflow/sweep/sweep.h"
#include "fuzz/form.h"
#include "support/temporary.h"

namespace foreflow::fuzz::definitions::store_form {
namespace {

// What the seed is a store of, all three points done. `version` is the seed's.
constexpr const char* kScenario = R"({"workload": {"model": "mlp", "layers": 2, "hidden": 64}, "engine": "analytic",
  "platform": {"topology": "dgx1"}, "strategy": {"dp": [1, 2, 3], "global_batch": 8}})";

void take(std::string_view bytes) {
  const test::TemporaryFolder folder;
  sweep::Options options;
  options.store   = folder / "store.sqlite";
  options.version = "fuzz";
  write_file(options.store, bytes);
  const Json source          = parse_json(kScenario, "fuzz.json");
  const sweep::Result result = sweep::sweep(source, "fuzz.json", options);
  FOREFLOW_CHECK(!sweep::to_text(result, 3).empty() && !sweep::to_csv(result).empty(), "results are shown");
}

}  // namespace

Form row() { return {"store", take, 2000}; }

}  // namespace foreflow::fuzz::definitions::store_form
