#include "foreflow/report/device_choice.h"

#include <algorithm>
#include <string>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"

namespace foreflow::report {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view where) {
  throw Error(std::string(where),
              "\"" + std::string(text) + "\" names no devices; write all, or numbers and ranges such as D1-D8,D17");
}

// "D17" or "17".
int32_t read_number(std::string_view text, std::string_view whole, std::string_view where) {
  if (text.starts_with('D')) text.remove_prefix(1);
  const auto number = parse_number<int32_t>(text);
  if (!number || *number < 1) refuse(whole, where);
  return *number;
}

}  // namespace

bool DeviceChoice::contains(int32_t number) const {
  return all || std::any_of(numbers.begin(), numbers.end(), [&](const stream::DeviceRange& range) {
           return range.first <= number && number <= range.last && (number - range.first) % range.step == 0;
         });
}

DeviceChoice read_device_choice(std::string_view text, std::string_view where) {
  if (text == "all") return {true, {}};
  if (text.empty()) refuse(text, where);
  DeviceChoice choice;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t comma          = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, comma);
    const size_t dash           = part.find('-');
    const int32_t first         = read_number(part.substr(0, dash), text, where);
    const int32_t last = dash == std::string_view::npos ? first : read_number(part.substr(dash + 1), text, where);
    if (last < first || comma + 1 == rest.size()) refuse(text, where);
    choice.numbers.push_back({first, last});
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return choice;
}

void check(const DeviceChoice& choice, int64_t devices, std::string_view where) {
  for (const stream::DeviceRange& range : choice.numbers) {
    if (range.last <= devices) continue;
    throw Error(std::string(where),
                "there is no D" + std::to_string(range.last) + "; the devices are D1 to D" + std::to_string(devices));
  }
}

}  // namespace foreflow::report
