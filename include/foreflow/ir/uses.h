// Def-use chains of one function: which op defines a value, how often it is used, and which ops read it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::ir {

// Per value: the index of the op that defines it; -1 for a parameter.
std::vector<int32_t> makers_of(const Function& function);

// Per value: the number of operands and of results of the function that refer to it.
std::vector<int32_t> uses_of(const Function& function);

// Per value: the ops that read it, in ascending order. An op that reads a value twice is listed twice.
class Readers {
 public:
  explicit Readers(const Function& function);
  std::span<const int32_t> operator[](size_t value) const {
    return std::span(ops_).subspan(first_[value], first_[value + 1] - first_[value]);
  }

 private:
  std::vector<uint32_t> first_;  // per value, and the end: into ops_
  std::vector<int32_t> ops_;
};

// All three for a function, which must not change while they are in use.
struct DefUse {
  explicit DefUse(const Function& function) : maker(makers_of(function)), uses(uses_of(function)), readers(function) {}

  std::vector<int32_t> maker, uses;
  Readers readers;
};

}  // namespace foreflow::ir
