#include "sweep/words.h"

#include <algorithm>
#include <array>

#include "foreflow/base/nth.h"

namespace foreflow::sweep {
namespace {

// True when values of the axis differ in the member `key`, or some lack it.
bool differs(const scenario::Axis& axis, const std::string& key, const Json& member) {
  const std::string text = member.dump_compact();
  return std::any_of(axis.values.begin(), axis.values.end(), [&](const Json& value) {
    const Json* other = value.find(key);
    return other == nullptr || other->dump_compact() != text;
  });
}

}  // namespace

const char* name(Status status) {
  constexpr std::array kNames = {"done", "failed", "crashed"};
  return nth(kNames, status);
}

std::string word(const Json& value) { return value.if_string() != nullptr ? *value.if_string() : value.dump_compact(); }

std::string label(const scenario::Axis& axis, size_t value) {
  const Json& shown = axis.values[value];
  if (shown.if_object() == nullptr) return word(shown);
  std::string text;
  for (const auto& [key, member] : *shown.if_object()) {
    if (differs(axis, key, member)) text += (text.empty() ? "" : " ") + key + "=" + word(member);
  }
  return text.empty() ? word(shown) : text;
}

}  // namespace foreflow::sweep
