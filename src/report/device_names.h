// Names of devices, or of their streams, in short, those included for which one stands in a folded program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/report/summary.h"

namespace foreflow::report {

class DeviceNames {
 public:
  // `name` is that of the device `first`, or of a stream of it, such as "job/D1.comm"; the others are called alike.
  void add(std::string_view name, int32_t first, const std::vector<stream::DeviceRange>& members);

  size_t size() const { return names_.size(); }
  // "D1-D8, D17 … D33 (10)": at most so many ranges, in the order of jobs and numbers.
  std::string text(size_t most);
  // "D1 … D33 (10)": the first, the last and how many.
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
  size_t word(std::string_view text);
  std::string written(const Name& name) const;
  std::string written(size_t first, size_t last) const;
  size_t end_of_range(size_t first) const;

  std::vector<std::string> words_;
  std::vector<Name> names_;
};

// "D1-D8, D17 … D33 (10)" of the devices of these numbers, at most so many ranges.
std::string device_ranges(const std::vector<int32_t>& numbers, size_t most);

// Of these devices, which are indices into Summary::devices.
DeviceNames names_of(const Summary& summary, const std::vector<size_t>& devices);

}  // namespace foreflow::report
