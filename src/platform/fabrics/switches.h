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

// How a switch with so many ports down goes up: `count` links, each `width` times as wide as a port, so that
// count * width = ports / oversubscription exactly.
struct Uplinks {
  int count;
  double width;
};
Uplinks uplinks_of(int ports, double oversubscription);

// `times` as wide as `port`.
Port widened(const Port& port, double times);

int add_switch(Fabric& fabric, const std::string& name);

// Joins each leaf to each spine, in this order, where `leaves` are the first switches and `spines` the next.
void join_leaves(Fabric& fabric, int leaves, int spines, const Port& port);

// A link named after both its ends.
void connect(Fabric& fabric, int from, int to, const Port& port);

}  // namespace foreflow::platform
