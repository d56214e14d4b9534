#include "foreflow/platform/topologies.h"

namespace foreflow::platform {

const Registry<NetworkDef>& networks() {
  // clang-format off
  static const Registry<NetworkDef> rows("network", "networks", {
#define FOREFLOW_ROW(name, gigabytes, routing, doc) {name, doc, BytesPerSecond(gigabytes * 1e9), routing},
#include "platform/nodes/networks.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

}  // namespace foreflow::platform
