// Attributes: named constants of an op, as in Gather[axis = 0](...). They are printed in the order in which they were
// added.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "foreflow/ir/array.h"
#include "foreflow/ir/type.h"

namespace foreflow::ir {

using Attribute = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                               std::vector<std::string>, Device, Array>;

class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<std::string, Attribute>> entries) : entries_(entries) {}

  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  const Attribute* find(std::string_view name) const;
  // Adds the attribute, or replaces its value.
  Attributes& set(std::string name, Attribute value);
  Attributes& erase(std::string_view name);

  // Each throws PartError("attribute NAME", ...) if the value has another kind; get_* also if the attribute is absent.
  int64_t int_or(std::string_view name, int64_t fallback) const;
  int64_t get_int(std::string_view name) const;
  double float_or(std::string_view name, double fallback) const;
  std::string string_or(std::string_view name, std::string fallback) const;
  // Nothing if absent. A single integer counts as a list of one.
  std::optional<std::vector<int64_t>> find_ints(std::string_view name) const;
  std::vector<int64_t> get_ints(std::string_view name) const;
  Device get_device(std::string_view name) const;
  const Array* find_array(std::string_view name) const;

  bool operator==(const Attributes&) const = default;

 private:
  std::vector<std::pair<std::string, Attribute>> entries_;
};

// The text of a value in programs: `2`, `0.5`, `"NHWC"`, `[1, 2]`, `1.comm`, `Int64(2,)[1, 2]`.
std::string to_string(const Attribute& value);

}  // namespace foreflow::ir
