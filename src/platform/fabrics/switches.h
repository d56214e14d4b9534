// Steps that several fabric recipes share.
#pragma once

#include <string>

#include "platform/blueprint.h"

namespace foreflow::platform {

// The whole numbers a / b, rounded up.
constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

// The smallest multiple of `step` for which `enough` holds.
template <class Enough>
int smallest_multiple(int step, Enough enough) {
  int number = step;
  while (!enough(number)) number += step;
  return number;
}

// The uplinks of a switch: `count` links, each `width` times the bandwidth of a downward port, with count * width =
// ports / oversubscription exactly.
struct Uplinks {
  int count;
  double width;
};
Uplinks uplinks_of(int ports, double oversubscription);

// `times` as wide as `port`.
Port widened(const Port& port, double times);

int add_switch(Fabric& fabric, const std::string& name);

// A link named after both its ends.
void connect(Fabric& fabric, int from, int to, const Port& port);

}  // namespace foreflow::platform
