// Refusals: the answer that a strategy is impossible for a model or platform, as a value. A malformed file is an Error;
// a refusal is a regular result, of which a search meets thousands. Code decides by the cause and the key of a refusal,
// never by its text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foreflow/base/error.h"

namespace foreflow {

// The cause of a refusal: what is incompatible with what.
enum class Cause : uint8_t {
  value,      // the value of a key: it does not exist, or is illegal together with the values of other keys
  devices,    // the number of ranks and the number of devices
  placement,  // the devices that a placement names, and those that the platform has or other jobs leave free
  schedule,   // the pipeline schedule and the program
  stages,     // the number of pipeline stages and the ops to divide among them
  program,    // a pass and the program, which lacks what the pass works on or has something it cannot divide
  plan,       // the tensor plan that the user wrote and the weights of the program
  memory,     // the memory that the program needs and that its devices have
  run         // anything found only while the program is lowered and simulated
};

struct Refusal {
  // Both texts are escaped to one line of printable characters, as in an Error.
  Refusal(Cause cause, const std::string& place, const std::string& why, std::string key = "");

  Cause cause;
  std::string place;  // as of an Error: "gpt.json: $.strategy.tp", or a place in the program; may be empty
  std::string why;    // what is wrong and what would be right
  std::string key;    // the strategy key ("tp"); empty: the strategy as a whole, or unknown to the pass
};

// "PLACE: WHY", or WHY alone.
std::string sentence(const Refusal& refusal);

// The name of a cause in stored text, and the cause of a name. find_cause throws Error for an unknown name.
std::string_view name(Cause cause);
Cause find_cause(std::string_view name, const std::string& where);

// Carries a refusal out of nested calls, or to callers that treat it as an error. The message is that of an Error at
// the refusal's place.
class RefusalError : public Error {
 public:
  explicit RefusalError(Refusal refusal);
  RefusalError(Cause cause, const std::string& place, const std::string& why);
  const Refusal& refusal() const { return refusal_; }

 private:
  Refusal refusal_;
};

}  // namespace foreflow
