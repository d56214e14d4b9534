// Stores of searches (SQLite): the search that left one behind goes on with it.
#include "foreflow/base/text.h"
#include "foreflow/search/search.h"
#include "fuzz/form.h"
#include "support/temporary.h"

namespace foreflow::fuzz::definitions::search_store_form {
namespace {

// What the seed is a store of, all points done or refused. `version` is the seed's.
constexpr const char* kScenario = R"({"workload": {"model": "mlp", "layers": 2, "hidden": 64}, "engine": "analytic",
  "platform": {"topology": "dgx1"}, "strategy": {"dp": [1, 2], "tp": [1, 2], "pp": 1, "global_batch": 8,
  "microbatches": 1, "recompute": "none", "zero": 0}})";

void take(std::string_view bytes) {
  const test::TemporaryFolder folder;
  search::Options options;
  options.store   = folder / "store.sqlite";
  options.version = "fuzz";
  write_file(options.store, bytes);
  const search::Result result = search::search(parse_json(kScenario, "fuzz.json"), "fuzz.json", options);
  FOREFLOW_CHECK(!search::to_text(result, 3).empty() && !search::to_csv(result).empty(), "results are shown");
}

}  // namespace

Form row() { return {"search_store", take, 500}; }

}  // namespace foreflow::fuzz::definitions::search_store_form
