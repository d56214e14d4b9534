// The border between passes, which know programs, and strategies, whose keys ask for passes: here a pass's refusal gets
// the key that it belongs to.
#pragma once

#include "foreflow/base/expected.h"
#include "foreflow/scenario/scenario.h"

namespace foreflow::scenario {

// A refusal at a key of the strategy of the object `root` of a scenario; of the strategy as a whole where the key is
// empty.
Refusal refused(const std::string& root, Cause cause, const std::string& key, std::string why);
Refusal refused(const Scenario& scenario, Cause cause, const std::string& key, std::string why);

// What a pass refused, at the key that its cause names; for most causes that is `key`, which asked for the pass.
Refusal blamed(const Scenario& scenario, const Refusal& refusal, const std::string& key);

// The result of a pass that `key` asks for. Programs are valid when they come to a pass, so that any Error of it is a
// "no": an op cannot work with the types that the pass would give it.
template <typename Pass>
auto asked_for_by(const std::string& key, const Scenario& scenario, const Pass& pass)
    -> Expected<std::invoke_result_t<Pass>> {
  try {
    return pass();
  } catch (const RefusalError& error) {
    return blamed(scenario, error.refusal(), key);
  } catch (const Error& error) {
    return refused(scenario, Cause::program, key, error.what());
  }
}

}  // namespace foreflow::scenario
