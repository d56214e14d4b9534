#include "platform/fabrics/torus.h"

namespace foreflow::platform::definitions::torus2d {

FabricDef row() {
  const auto read = [](const JsonView& json, const Outlets& outlets) { return read_torus(json, outlets, 2); };
  return {"torus2d", "a torus of 2 dimensions, a switch for each node", {kTorusDims}, read, build_torus};
}

}  // namespace foreflow::platform::definitions::torus2d
