// Assigns refusals of passes to strategy keys. Passes know programs but no keys; the code that applies a pass for a key
// adds it here.
#pragma once

#include "foreflow/base/expected.h"
#include "foreflow/scenario/scenario.h"

namespace foreflow::scenario {

// A refusal at a key of the strategy in the object `root` of a scenario; at the strategy as a whole when the key is
// empty.
Refusal refused(const std::string& root, Cause cause, const std::string& key, const std::string& why);
Refusal refused(const Scenario& scenario, Cause cause, const std::string& key, const std::string& why);

// The refusal of a pass, at the key that its cause belongs to; for most causes this is `key`, for which the pass was
// applied.
Refusal blamed(const Scenario& scenario, const Refusal& refusal, const std::string& key);

// Advice for a model whose file has no weights. They may be among its inputs, along which no samples are counted.
inline constexpr const char* kNameWeights =
    "; the file has no weights, which may be among its inputs: name them in workload.weights";

// The result of a pass that is applied for `key`. The input of a pass is a valid program, so an Error inside it is also
// a refusal: an op does not accept the types that the pass would give it.
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
