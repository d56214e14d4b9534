#include "platform/fabrics/torus.h"

namespace foreflow::platform::definitions::torus2d {

FabricDef row() {
  return fabric_row<read_torus_of<2>, build_torus>("torus2d", "a torus of 2 dimensions, a switch for each node",
                                                   torus_keys(), {},
                                                   "it has no uplinks; cable_nics says how wide its cables are");
}

}  // namespace foreflow::platform::definitions::torus2d
