// The distinct loads of the phases of a program.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foreflow/base/nth.h"
#include "simulate/footprint/phase.h"
#include "simulate/hash.h"

namespace foreflow::simulate {

class LoadTable {
 public:
  // Equal loads have one number.
  int32_t number_of(Load load);
  // Valid until the next one is numbered.
  const Load& operator[](int32_t number) const { return nth(loads_, number); }

  // By number.
  std::vector<Load> take() && { return std::move(loads_); }

 private:
  std::vector<Load> loads_;
  // By hash. Loads of large groups cross many links, so a table that keeps its own copy of them would be too large.
  std::unordered_multimap<Colour, int32_t> numbers_;
};

}  // namespace foreflow::simulate
