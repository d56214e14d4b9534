// The rotation of a machine by rule. Links are numbered node by node inside of nodes and for NICs, and trunks as the
// fabric says (Circle). A rule that looks at remainders of the numbers of ports chooses as before where all numbers
// grow by a multiple of the number of ways.
#include "platform/ruled/ruled.h"

namespace foreflow::platform {
namespace {

// The least number of parts to rotate by; all of them if there is none.
int step_of(const Circle& circle, int ports) {
  for (int step = 1; step < circle.parts; ++step) {
    if (circle.parts % step == 0 && ports / circle.parts * step % circle.ways == 0) return step;
  }
  return circle.parts;
}

}  // namespace

Rotation rotation_of(const Layout& layout, const EcmpRule& rule) {
  const Fabric& fabric = layout.fabric();
  const Circle& circle = fabric.circle;
  const bool equal     = layout.blocks().size() == 1 && layout.changed().empty() && is_regular(layout);
  if (!equal || circle.parts < 2 || layout.nodes() % circle.parts != 0 || fabric.path || !rule.by_remainders)
    return Rotation(2 * layout.cables());
  std::vector<int> ends = {2 * layout.first_nic(), 2 * layout.first_trunk()};
  for (const int trunks : circle.ranges) ends.push_back(ends.back() + 2 * trunks);
  const int ports = layout.first_trunk() - layout.first_nic();
  return Rotation(circle.parts, ends).by(step_of(circle, ports));
}

}  // namespace foreflow::platform
