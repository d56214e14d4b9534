#include "platform/zones/names.h"

#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "foreflow/platform/recipe.h"

namespace foreflow::platform::zones {
namespace {

int end_of_range(std::string_view text, std::string_view group) {
  const auto number = parse_number<int>(std::string(trim(text)));
  if (!number || *number < 0)
    throw Error("", fmt::format("radical: \"{}\" is no range of numbers; write it like \"0-15\" or \"0-3,8\"", group));
  return *number;
}

}  // namespace

Radical::Radical(std::string_view text) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end             = std::min(text.find(',', begin), text.size());
    const std::string_view group = text.substr(begin, end - begin);
    const size_t dash            = group.find('-');
    const int first              = end_of_range(group.substr(0, dash), group);
    const int last               = dash == std::string_view::npos ? first : end_of_range(group.substr(dash + 1), group);
    if (last >= first && int64_t{last} - first + 1 + size_ > kMostDevices)
      throw Error("", fmt::format("radical: \"{}\" is more than {} hosts", text, kMostDevices));
    if (last >= first) {
      ranges_.push_back({first, last - first + 1, size_});
      size_ += last - first + 1;
    }
    begin = end + 1;
  }
  if (size_ == 0) throw Error("", fmt::format("radical: \"{}\" has no number; write it like \"0-15\"", text));
  std::vector<Range> sorted = ranges_;
  std::sort(sorted.begin(), sorted.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
  for (size_t i = 0; i + 1 < sorted.size(); ++i) {
    if (sorted[i].first + sorted[i].count > sorted[i + 1].first)
      throw Error("", fmt::format("radical: \"{}\" has the number {} twice", text, sorted[i + 1].first));
  }
}

Radical Radical::first(int count) const {
  Radical result;
  for (const Range& range : ranges_) {
    const int taken = std::min(range.count, count - result.size_);
    if (taken <= 0) break;
    result.ranges_.push_back({range.first, taken, range.before});
    result.size_ += taken;
  }
  return result;
}

int Radical::number(int index) const {
  const auto after   = std::upper_bound(ranges_.begin(), ranges_.end(), index,
                                        [](int value, const Range& range) { return value < range.before; });
  const Range& range = *std::prev(after);
  return range.first + index - range.before;
}

std::optional<int> Radical::index(int64_t number) const {
  for (const Range& range : ranges_) {
    if (number >= range.first && number < int64_t{range.first} + range.count)
      return range.before + static_cast<int>(number - range.first);
  }
  return std::nullopt;
}

std::optional<int> plain_number(std::string_view text) {
  constexpr size_t kMostDigits = 10;
  if (text.empty() || text.size() > kMostDigits || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  return parse_number<int>(std::string(text));
}

std::string Series::name(int index) const {
  return radical ? fmt::format("{}{}{}", prefix, radical->number(index), suffix) : prefix;
}

std::optional<int> Series::find(std::string_view name) const {
  if (!radical) return name == prefix ? std::optional(0) : std::nullopt;
  if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
    return std::nullopt;
  const auto number = plain_number(name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
  return number ? radical->index(*number) : std::nullopt;
}

}  // namespace foreflow::platform::zones
