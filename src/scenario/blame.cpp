#include "scenario/blame.h"

namespace foreflow::scenario {

Refusal refused(const std::string& root, Cause cause, const std::string& key, const std::string& why) {
  return {cause, root + (key.empty() ? ".strategy" : ".strategy." + key), why, key};
}

Refusal refused(const Scenario& scenario, Cause cause, const std::string& key, const std::string& why) {
  return refused(scenario.where(), cause, key, why);
}

Refusal blamed(const Scenario& scenario, const Refusal& refusal, const std::string& key) {
  switch (refusal.cause) {
    case Cause::schedule: return refused(scenario, refusal.cause, "schedule", refusal.why);
    case Cause::stages: return refused(scenario, refusal.cause, "pp", refusal.why);
    case Cause::plan: return refused(scenario, refusal.cause, "tensor_plan", sentence(refusal));
    case Cause::program: return refused(scenario, refusal.cause, key, sentence(refusal));
    // These belong to their place already.
    case Cause::value:
    case Cause::devices:
    case Cause::placement:
    case Cause::memory:
    case Cause::run: break;
  }
  return refusal;
}

}  // namespace foreflow::scenario
