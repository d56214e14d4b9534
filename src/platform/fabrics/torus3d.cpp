#include "platform/fabrics/torus.h"

namespace foreflow::platform::definitions::torus3d {

FabricDef row() {
  return fabric_row<read_torus_of<3>, build_torus>("torus3d", "a torus of 3 dimensions, a switch for each node",
                                                   torus_keys(), {},
                                                   "it has no uplinks; cable_nics says how wide its cables are");
}

}  // namespace foreflow::platform::definitions::torus3d
