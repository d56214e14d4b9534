#include <fmt/format.h>

#include <map>

#include "foreflow/collective/collective.h"

namespace foreflow::collective {
namespace {

// "0>1 +2,3": rank 0 sends chunks 2 and 3 to rank 1, which adds them.
std::string print_step(const std::vector<Transfer>& transfers) {
  std::map<std::pair<int, int>, std::string> messages;
  for (const Transfer& one : transfers) {
    std::string& chunks = messages[{one.from, one.to}];
    chunks += fmt::format("{}{}", chunks.empty() ? (one.reduce ? "+" : "") : ",", one.chunk);
  }
  std::string text;
  for (const auto& [pair, chunks] : messages) text += fmt::format("  {}>{} {}", pair.first, pair.second, chunks);
  return text;
}

}  // namespace

std::string print(const Plan& plan) {
  std::string text = fmt::format("plan: {} chunks, {} steps\n", plan.chunks, plan.steps.size());
  for (size_t i = 0; i < plan.steps.size(); ++i) text += fmt::format("step {}{}\n", i, print_step(plan.steps[i]));
  return text;
}

std::string print(const FlowPlan& plan) {
  std::string text;
  if (plan.start > Seconds(0)) text += fmt::format("starts after {}\n", format(plan.start));
  for (size_t i = 0; i < plan.phases.size(); ++i) {
    const Phase& phase = plan.phases[i];
    text += fmt::format("phase {}: {} steps inside nodes, {} between", i, phase.near_steps, phase.far_steps);
    if (phase.head > 0) text += fmt::format(", fills with {:.6g}", phase.head);
    if (phase.near_latency != 1 || phase.far_latency != 1)
      text += fmt::format(", of {:.3g} and {:.3g} times the latency", phase.near_latency, phase.far_latency);
    if (phase.least > Seconds(0)) text += fmt::format(", moves for {} or longer", format(phase.least));
    text += "\n";
    for (const Flow& flow : phase.flows) text += fmt::format("  {}>{} {:.6g}", flow.from, flow.to, flow.share);
    text += "\n";
  }
  return text;
}

}  // namespace foreflow::collective
