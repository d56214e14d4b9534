#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "foreflow/schedule/describe.h"

namespace foreflow::cli::definitions::schedule_command {
namespace {

struct Options {
  std::string name, json;
  int stages = 0, microbatches = 0;
  std::optional<int> virtual_stages;
  double backward = 2;
  bool halves     = false;  // the backward's are given
  bool delay      = false;
  schedule::Costs costs;
};

void run(const Options& options) {
  schedule::Question question{.schedule               = schedule::schedules().get(options.name, "foreflow schedule"),
                              .devices                = options.stages,
                              .microbatches           = options.microbatches,
                              .virtual_stages         = options.virtual_stages,
                              .costs                  = options.costs,
                              .delay_weight_gradients = options.delay};
  if (!options.halves)
    question.costs = schedule::whole_costs(options.costs.forward, options.backward, options.costs.hop);
  // A picture that is too large for a text is no error if the text is not shown.
  const std::string text = options.json == "-" ? "" : schedule::describe(question);
  answer(options.json, options.json.empty() ? Json() : schedule::to_json(question), text);
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  auto& costs        = options->costs;
  command.add_option("NAME", options->name, "a schedule (see: foreflow list schedules)")->required();
  command.add_option("--stages", options->stages, "pipeline stages, each of which is a device (or a group of them)")
      ->required();
  command.add_option("--microbatches", options->microbatches, "microbatches in one iteration")->required();
  command.add_option(
      "--virtual-stages", options->virtual_stages,
      "parts of the model on a device, for schedules that interleave (default: as the schedule needs, 2)");
  command
      .add_option("--forward", costs.forward,
                  "time of the forward of a microbatch on a device; each of V virtual stages takes a V-th, also below")
      ->capture_default_str();
  auto* backward =
      command.add_option("--backward", options->backward, "time of the backward, in equal halves where it is split")
          ->capture_default_str();
  auto* input =
      command.add_option("--input-grad", costs.input_grad, "time of the input gradient")->capture_default_str();
  auto* weight =
      command.add_option("--weight-grad", costs.weight_grad, "time of the weight gradient")->capture_default_str();
  backward->excludes(input, weight);
  command.add_option("--hop", costs.hop, "latency between devices")->capture_default_str();
  command.add_flag("--delay-weight-gradients", options->delay,
                   "split backwards and put weight gradients off, as little as covers the hops");
  writes(command.add_option("--json", options->json, "write makespan, bubble and timeline to FILE (- for stdout)"));
  return [options, input, weight] {
    options->halves = input->count() + weight->count() > 0;
    run(*options);
  };
}

}  // namespace

CommandDef row() {
  return {"schedule", "draw a pipeline schedule: picture, makespan, bubble, peak in flight",
          "foreflow schedule 1f1b --stages 4 --microbatches 8", declare};
}

}  // namespace foreflow::cli::definitions::schedule_command
