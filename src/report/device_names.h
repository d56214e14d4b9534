// Short lists of device or stream names. In a folded program they include the devices that another one represents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/report/summary.h"

namespace foreflow::report {

class DeviceNames {
 public:
  // `name` is that of the device `first` or of one of its streams, such as "job/D1.comm"; the names of the others
  // follow the same pattern.
  void add(std::string_view name, int32_t first, const std::vector<stream::DeviceRange>& members);

  size_t size() const { return names_.size(); }
  // "D1-D8, D17 … D33 (10)": a limited number of ranges, in the order of jobs and numbers.
  std::string text(size_t most);
  // "D1 … D33 (10)": the first, the last and the number of devices.
  std::string ends();
  // "D1-D8", "D17", ...: all of them.
  std::vector<std::string> ranges();
  // "D1", "D2", ...: all of them.
  std::vector<std::string> each();

 private:
  struct Name {
    size_t before;  // into words_
    int32_t number;
    size_t after;  // into words_
    auto operator<=>(const Name&) const = default;
  };
  void sort();
  size_t word(std::string_view text);
  std::string written(const Name& name) const;
  std::string written(size_t first, size_t last) const;
  size_t end_of_range(size_t first) const;

  std::vector<std::string> words_;
  std::vector<Name> names_;
};

// "D1-D8, D17 … D33 (10)" for devices with these numbers, with a limited number of ranges.
std::string device_ranges(const std::vector<int32_t>& numbers, size_t most);

// The names of these devices, which are indices into Summary::devices.
DeviceNames names_of(const Summary& summary, const std::vector<size_t>& devices);

}  // namespace foreflow::report
