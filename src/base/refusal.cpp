#include "foreflow/base/refusal.h"

#include <algorithm>
#include <array>

#include "foreflow/base/escape.h"
#include "foreflow/base/nth.h"

namespace foreflow {
namespace {

constexpr std::array<std::string_view, 9> kCauses = {  // by Cause
    "value", "devices", "placement", "schedule", "stages", "program", "plan", "memory", "run"};
static_assert(kCauses.size() == static_cast<size_t>(Cause::run) + 1);

}  // namespace

Refusal::Refusal(Cause cause, const std::string& place, const std::string& why, std::string key)
    : cause(cause), place(escape::terminal(place)), why(escape::terminal(why)), key(std::move(key)) {}

std::string sentence(const Refusal& refusal) {
  return refusal.place.empty() ? refusal.why : refusal.place + ": " + refusal.why;
}

std::string_view name(Cause cause) { return nth(kCauses, cause); }

Cause find_cause(std::string_view name, const std::string& where) {
  const auto found = std::find(kCauses.begin(), kCauses.end(), name);
  if (found == kCauses.end()) throw Error(where, "\"" + std::string(name) + "\" is no cause of a refusal");
  return static_cast<Cause>(found - kCauses.begin());
}

RefusalError::RefusalError(Refusal refusal) : Error(refusal.place, refusal.why), refusal_(std::move(refusal)) {}

RefusalError::RefusalError(Cause cause, const std::string& place, const std::string& why)
    : RefusalError(Refusal(cause, place, why)) {}

}  // namespace foreflow
