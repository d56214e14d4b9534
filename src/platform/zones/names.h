// Names by rule: "node-" and a number of a radical and ".grid.org", for as many hosts as the radical has numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foreflow::platform::zones {

// The numbers that a text like "0-3,7,9-11" stands for, in its order.
class Radical {
 public:
  // Throws Error("", ...) when the text is malformed, names a number twice, or names more than kMostDevices.
  explicit Radical(std::string_view text);

  // Its first numbers; 1 <= count.
  Radical first(int count) const;

  int size() const { return size_; }
  int number(int index) const;                     // 0 <= index < size()
  std::optional<int> index(int64_t number) const;  // none: it is no number of the radical

 private:
  struct Range {
    int first, count;
    int before;  // numbers of the ranges before it
  };
  Radical() = default;

  std::vector<Range> ranges_;
  int size_ = 0;
};

// One name, or one for each number of a radical.
struct Series {
  std::string prefix, suffix = {};
  std::optional<Radical> radical = {};  // none: `prefix` is the only name

  int size() const { return radical ? radical->size() : 1; }
  std::string name(int index) const;
  std::optional<int> find(std::string_view name) const;
};

// A whole number of at most nine digits without sign or leading zeros, as names have it.
std::optional<int> plain_number(std::string_view text);

}  // namespace foreflow::platform::zones
