// Calibration files: loaded by a small scenario that names one, which is then predicted with it.
#include <cmath>

#include "foreflow/base/text.h"
#include "foreflow/scenario/run.h"
#include "fuzz/form.h"
#include "support/temporary.h"

namespace foreflow::fuzz::definitions::calibration_form {
namespace {

constexpr const char* kScenario = R"({"workload": {"model": "mlp", "layers": 2, "hidden": 64},
  "platform": {"topology": "dgx1"}, "strategy": {"dp": 2, "global_batch": 8}, "engine": "analytic",
  "cost": {"model": "c.json"}})";

// Loading asks SimGrid in a child process: once is enough.
scenario::PlatformRef machine(const scenario::PlatformChoice& choice) {
  static const scenario::PlatformRef loaded = scenario::load_platform(choice);
  return loaded;
}

void take(std::string_view text) {
  static const test::TemporaryFolder folder;
  write_file(folder / "c.json", text);
  const std::string file            = folder / "s.json";
  const scenario::Scenario scenario = scenario::load(parse_json(kScenario, file), file);
  const auto outcome                = scenario::run(scenario, machine(scenario.platform));
  const double time                 = outcome.timeline.makespan.value();
  FOREFLOW_CHECK(std::isfinite(time) && time >= 0, "an iteration takes a while");
}

}  // namespace

Form row() { return {"calibration", take, 2000}; }

}  // namespace foreflow::fuzz::definitions::calibration_form
