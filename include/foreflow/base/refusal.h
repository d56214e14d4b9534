// "No" as a value: what a strategy cannot do on a model or a platform. A malformed file is an Error; a refusal is an
// answer, of which a search meets thousands. Decisions are made by its cause and its key, never by its text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foreflow/base/error.h"

namespace foreflow {

// What does not go together.
enum class Cause : uint8_t {
  value,      // the value of a key: it is not one that exists, or not legal beside the values of other keys
  devices,    // the number of ranks and that of devices
  placement,  // the devices that a placement names and those that the platform has, or that other jobs leave
  schedule,   // the pipeline schedule and the program
  stages,     // the number of pipeline stages and the ops that there are to divide
  program,    // a pass and the program: it lacks what the pass works on, or has what the pass cannot divide
  plan,       // the tensor plan that the user wrote and the weights of the program
  memory,     // what the program needs and what its devices have
  run         // anything met only while the program is lowered and simulated
};

struct Refusal {
  // Both texts become one line of printable characters, as those of an Error.
  Refusal(Cause cause, const std::string& place, const std::string& why, std::string key = "");

  Cause cause;
  std::string place;  // as of an Error: "gpt.json: $.strategy.tp", or a place in the program; may be empty
  std::string why;    // what is wrong and what would be right
  std::string key;    // of the scenario's strategy ("tp"); empty: the strategy as a whole, or not known to a pass
};

// "PLACE: WHY", or WHY alone.
std::string sentence(const Refusal& refusal);

// Its name in text that is read again, and back; Error for a name that no cause has.
std::string_view name(Cause cause);
Cause find_cause(std::string_view name, const std::string& where);

// A refusal on its way out of the depth of a pass, or to a caller who has no use for a value: its message is that of an
// Error at the refusal's place.
class RefusalError : public Error {
 public:
  explicit RefusalError(Refusal refusal);
  RefusalError(Cause cause, const std::string& place, const std::string& why);
  const Refusal& refusal() const { return refusal_; }

 private:
  Refusal refusal_;
};

}  // namespace foreflow
