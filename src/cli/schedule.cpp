#include "cli/command.h"
#include "cli/output.h"
#include "foreflow/schedule/describe.h"

namespace foreflow::cli::definitions {
namespace {

struct Options {
  std::string name, json;
  int stages = 0, microbatches = 0;
  schedule::Costs costs;
};

void run(const Options& options) {
  const auto& row        = schedule::schedules().get(options.name, "foreflow schedule");
  const std::string text = schedule::describe(row, options.stages, options.microbatches, options.costs);
  const bool wanted      = !options.json.empty();
  answer(options.json, wanted ? schedule::to_json(row, options.stages, options.microbatches, options.costs) : Json(),
         text);
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  command.add_option("NAME", options->name, "a schedule (see: foreflow list schedules)")->required();
  command.add_option("--stages", options->stages, "pipeline stages")->required();
  command.add_option("--microbatches", options->microbatches, "microbatches in one iteration")->required();
  command.add_option("--forward", options->costs.forward, "time of one forward")->capture_default_str();
  command.add_option("--backward", options->costs.backward, "time of one backward")->capture_default_str();
  command.add_option("--hop", options->costs.hop, "latency between neighbours")->capture_default_str();
  command.add_option("--json", options->json, "write makespan, bubble and timeline to FILE (- for stdout)");
  return [options] { run(*options); };
}

}  // namespace

CommandDef schedule() {
  return {"schedule", "draw a pipeline schedule: picture, makespan, bubble, peak in flight",
          "foreflow schedule 1f1b --stages 4 --microbatches 8", declare};
}

}  // namespace foreflow::cli::definitions
