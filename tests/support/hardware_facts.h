// The reference table of hardware facts: (device or system, quantity) -> value, unit, source.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace foreflow::test {

// Without a device, `scale` is the number itself.
struct Fact {
  std::string device;
  std::string quantity;
  double scale = 1;
  int number =
      -1;  // which number of a value that is a text, such as "4 x 25 GB/s", then in no unit; -1: the value is one
};

class HardwareFacts {
 public:
  explicit HardwareFacts(const std::filesystem::path& csv);

  // In bytes, flop and seconds. A fact that is not in the table fails the test.
  double value(const Fact& fact) const;

 private:
  std::map<std::pair<std::string, std::string>, std::pair<std::string, std::string>> rows_;  // value and unit
};

}  // namespace foreflow::test
