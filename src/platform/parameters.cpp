#include "platform/parameters.h"

#include <fmt/core.h>

#include <utility>

#include "foreflow/platform/recipe.h"

namespace foreflow::platform {

int whole_or(const JsonView& json, std::string_view key, int fallback, int least, int most) {
  return json.has(key) ? whole(json.at(key), least, most) : fallback;
}

int whole(const JsonView& value, int least, int most) {
  const int64_t number = value.as_int();
  if (number < least) value.fail(fmt::format("{} is too small; use {} or more", number, least));
  if (number > most) value.fail(fmt::format("{} is too large; use at most {}", number, most));
  return static_cast<int>(number);
}

ValueType count_type() { return types::whole(1, kMostDevices); }

KeyDef count_key(std::string name, std::string doc) { return {std::move(name), std::move(doc), count_type()}; }

KeyDef oversubscription_key() {
  return {"oversubscription", "bandwidth down / up of a leaf, 1 by default", types::number(1)};
}

double read_oversubscription(const JsonView& json) {
  if (!json.has("oversubscription")) return 1;
  constexpr double kMost = 1000;
  const JsonView value   = json.at("oversubscription");
  const double ratio     = value.as_number();
  if (!(ratio >= 1 && ratio <= kMost)) {
    value.fail(
        fmt::format("{} is no ratio of bandwidth down to bandwidth up; use 1 (non-blocking) to {}", ratio, kMost));
  }
  return ratio;
}

}  // namespace foreflow::platform
