#include "platform/fabrics/torus.h"

namespace foreflow::platform::definitions::torus3d {

FabricDef row() {
  const auto read = [](const JsonView& json, const Outlets& outlets) { return read_torus(json, outlets, 3); };
  return {"torus3d", "a torus of 3 dimensions, a switch for each node", {kTorusDims}, read, build_torus};
}

}  // namespace foreflow::platform::definitions::torus3d
