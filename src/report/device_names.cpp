#include "report/device_names.h"

#include <fmt/core.h>

#include <algorithm>

namespace foreflow::report {

void DeviceNames::add(std::string_view name, int32_t first, const std::vector<stream::DeviceRange>& members) {
  const std::string digits = std::to_string(first);
  const size_t job         = name.rfind('/');  // a name of a job may hold anything, a device's no slash
  const size_t at          = name.find(digits, job == std::string_view::npos ? 0 : job);
  if (at == std::string_view::npos) {
    names_.push_back({word(name), -1, word("")});
    return;
  }
  const size_t before = word(name.substr(0, at)), after = word(name.substr(at + digits.size()));
  for (const stream::DeviceRange& range : members) {
    for (int32_t number = range.first; number <= range.last; number += range.step)
      names_.push_back({before, number, after});
  }
}

std::string DeviceNames::text(size_t most) {
  sort();
  std::string text;
  size_t runs = 0;
  for (size_t i = 0; i < names_.size();) {
    if (runs++ == most) return text + fmt::format(" … {} ({})", written(names_.back()), names_.size());
    const size_t last = end_of_range(i);
    if (i > 0) text += ", ";
    text += last == i + 1 ? written(names_[i]) + ", " + written(names_[last]) : written(i, last);
    i = last + 1;
  }
  return text;
}

std::string DeviceNames::ends() {
  sort();
  return fmt::format("{} … {} ({})", written(names_.front()), written(names_.back()), names_.size());
}

std::vector<std::string> DeviceNames::ranges() {
  sort();
  std::vector<std::string> all;
  for (size_t i = 0; i < names_.size();) {
    const size_t last = end_of_range(i);
    all.push_back(written(i, last));
    i = last + 1;
  }
  return all;
}

// Names come in order, mostly.
void DeviceNames::sort() {
  if (!std::is_sorted(names_.begin(), names_.end())) std::sort(names_.begin(), names_.end());
}

size_t DeviceNames::word(std::string_view text) {
  const auto found = std::find(words_.begin(), words_.end(), text);
  if (found != words_.end()) return static_cast<size_t>(found - words_.begin());
  words_.emplace_back(text);
  return words_.size() - 1;
}

std::string DeviceNames::written(const Name& name) const {
  return words_[name.before] + (name.number < 0 ? "" : std::to_string(name.number)) + words_[name.after];
}

std::string DeviceNames::written(size_t first, size_t last) const {
  return first == last ? written(names_[first]) : written(names_[first]) + "-" + written(names_[last]);
}

size_t DeviceNames::end_of_range(size_t first) const {
  size_t last = first;
  while (last + 1 < names_.size() && names_[last + 1].before == names_[first].before &&
         names_[last + 1].after == names_[first].after && names_[last + 1].number == names_[last].number + 1)
    ++last;
  return last;
}

std::vector<std::string> DeviceNames::each() {
  sort();
  std::vector<std::string> all;
  for (const Name& name : names_) all.push_back(written(name));
  return all;
}

std::string device_ranges(const std::vector<int32_t>& numbers, size_t most) {
  DeviceNames names;
  for (const int32_t number : numbers) names.add("D" + std::to_string(number), number, {{number, number}});
  return names.text(most);
}

DeviceNames names_of(const Summary& summary, const std::vector<size_t>& devices) {
  DeviceNames names;
  for (const size_t d : devices) {
    const DeviceSummary& device = summary.devices[d];
    names.add(device.name, device.members.front().first, device.members);
  }
  return names;
}

}  // namespace foreflow::report
