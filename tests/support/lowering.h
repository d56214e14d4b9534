// Programs as text, lowered onto small platforms.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <string_view>

#include "foreflow/interpret/mixed.h"
#include "foreflow/lower/lower.h"

namespace foreflow::test {

// The roofline with nothing lost: an op takes the longer of flops / peak and bytes / memory bandwidth.
cost::CostModel ideal_roofline();

// Parses `text`, interprets its last function and lowers it with the ideal roofline.
lower::Lowered lowered(std::string_view text, const platform::Platform& platform);
lower::Lowered lowered(const ir::Module& module, const platform::Platform& platform);

// The highest and the last level of memory of a device, its streams one after another; `device` is its number in the
// program.
struct Level {
  double peak, final;
  bool operator==(const Level&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Level& level);
Level memory_of(const stream::Program& program, int device);

// Seconds of compute in each stream, by its name.
std::map<std::string, double> busy_seconds(const stream::Program& program);

}  // namespace foreflow::test
