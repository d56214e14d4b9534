// Equal attributes once: a program repeats few lists of them very often, and who compares ops compares pointers first.
#pragma once

#include <string>
#include <unordered_map>

#include "foreflow/ir/module.h"

namespace foreflow::ir {

class SharedAttributes {
 public:
  // The list that was given first among all that equal `attributes`; without entries it is the same one for every
  // table. Lists with arrays of more than kLargestCompared bytes are not compared: each is its own.
  static constexpr size_t kLargestCompared = 4096;
  AttributesRef operator()(Attributes attributes);

 private:
  std::unordered_map<std::string, AttributesRef> known_;
};

// Appends bytes that are equal exactly for equal attributes (numbers by their bits).
void append_key(const Attributes& attributes, std::string& key);

}  // namespace foreflow::ir
