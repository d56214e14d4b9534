#include "platform/parameters.h"

#include <fmt/core.h>

namespace foreflow::platform {

int whole_or(const JsonView& json, std::string_view key, int fallback, int least, int most) {
  if (!json.has(key)) return fallback;
  const int64_t value = json.at(key).as_int();
  if (value < least) json.at(key).fail(fmt::format("{} is too small; use {} or more", value, least));
  if (value > most) json.at(key).fail(fmt::format("{} is too large; use at most {}", value, most));
  return static_cast<int>(value);
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
