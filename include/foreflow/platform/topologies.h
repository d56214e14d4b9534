// Topology recipes: well-known machines of any number of nodes, written as SimGrid XML 4.1. The numbers and their
// sources stand in the recipes and in the files that they write. A recipe knows nothing of SimGrid itself.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/base/registry.h"

namespace foreflow::platform {

struct TopologyDef {
  std::string_view name;
  std::string_view doc;
  int default_nodes;
  std::string (*write)(int nodes);  // nodes >= 1
};

const Registry<TopologyDef>& topologies();

}  // namespace foreflow::platform
