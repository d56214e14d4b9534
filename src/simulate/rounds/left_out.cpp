#include "simulate/rounds/left_out.h"

#include <algorithm>
#include <limits>

namespace foreflow::simulate {
namespace {

int64_t each_of(const Remaining& part, int64_t times) { return part.left / part.loops / times; }

// Of items that are run; as a number that cannot overflow.
double cost(int64_t times, const std::vector<Remaining>& parts) {
  double cost = 0;
  for (const Remaining& part : parts) {
    const int64_t longer = each_of(part, times) * part.loops, more = part.left - times * longer;
    cost += static_cast<double>(2 * more + longer) * static_cast<double>(part.items);
  }
  return cost;
}

}  // namespace

LeftOut left_out(const std::vector<Remaining>& parts) {
  int64_t most = 0;
  for (const Remaining& part : parts) most = std::max(most, part.left / part.loops);
  LeftOut best;
  double least = std::numeric_limits<double>::infinity();
  for (int64_t times = 1; times <= most; ++times) {
    const double here = cost(times, parts);
    if (here >= least) continue;
    least      = here;
    best.times = times;
  }
  for (const Remaining& part : parts) {
    best.each.push_back(best.times == 0 ? 0 : each_of(part, best.times));
    best.more.push_back(part.left - best.times * best.each.back() * part.loops);
  }
  return best;
}

}  // namespace foreflow::simulate
