// The steps in which a recipe is read.
#pragma once

#include <string>
#include <vector>

#include "foreflow/platform/recipe.h"
#include "platform/blueprint.h"

namespace foreflow::platform {

// The nodes of a recipe: those of "topology", or of each of "parts".
std::vector<Part> read_nodes(const JsonView& json);

// The fabric that the recipe names, or else the one that its topology comes with. Throws Error at "fabric".
const FabricDef& fabric_of(const JsonView& json);

// Throws Error at a key that is neither of parts, nor of the fabric, nor `besides`.
void check_keys(const JsonView& json, const FabricDef& fabric, const Keys& besides);

struct RoutingChoice {
  std::string ties = "dmodk";  // among equally short ways
  std::string own;             // of the fabric; empty: shortest ways
};

// "routing", or "ecmp" as it was called for equally short ways; absent: as the network of the nodes has it.
RoutingChoice read_routing(const JsonView& json, const FabricDef& fabric, const std::vector<Part>& parts);

// "sites" and "wan" as one recipe: its parts are those of all sites, and its fabric joins theirs.
Recipe read_sites(const JsonView& json);

}  // namespace foreflow::platform
