// Stores equal attributes once. A program repeats few attribute lists very often; sharing them saves memory, and ops
// can be compared by the pointers of their attributes first.
#pragma once

#include <string>
#include <unordered_map>

#include "foreflow/ir/module.h"

namespace foreflow::ir {

class SharedAttributes {
 public:
  // Returns the first list given so far that equals `attributes`. Empty lists are shared by all tables. Lists with
  // arrays of more than kLargestCompared bytes are not compared, and not shared.
  static constexpr size_t kLargestCompared = 4096;
  AttributesRef operator()(Attributes attributes);

 private:
  std::unordered_map<std::string, AttributesRef> known_;
};

// Appends bytes that are equal if and only if the attributes are equal; numbers count as equal if their bits are.
void append_key(const Attributes& attributes, std::string& key);

}  // namespace foreflow::ir
