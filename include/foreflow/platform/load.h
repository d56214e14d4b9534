// Reads platforms from SimGrid XML. The text is checked first, so that errors name line and column. Then routes are
// found in one of two ways:
//   1. A file in graph form (a single zone with routing "Dijkstra") is routed by Foreflow, at any size.
//   2. Any other file is routed by SimGrid, pair by pair, in a child process, because SimGrid ends its process on some
//      errors.
#pragma once

#include <string>

#include "foreflow/platform/platform.h"
#include "foreflow/platform/recipe.h"

namespace foreflow::platform {

// Reads a platform of DTD version 4.1, made of zones (Full, Floyd, Dijkstra, DijkstraCache, None), hosts, routers,
// links and routes. platforms/README.md lists the properties that hosts and links carry. Devices are in the order of
// the text. `name` is the file name in messages and the name of the platform. Throws Error("NAME:LINE:COLUMN", ...), or
// Error(NAME, ...) when two devices of a graph are not connected, or SimGrid refuses a file that passed the checks.
Platform load(const std::string& xml_text, const std::string& name);

// Loads a file. Throws Error also when it cannot be read.
Platform load_file(const std::string& path);

// The machine of a recipe, represented by rules. Equal to what load() returns for write_xml(recipe), but takes no time
// at any size. Its name is name_of(recipe).
Platform make(const Recipe& recipe);

// `nodes` nodes of a topology on the default fabric. Throws Error when `nodes` is below 1.
Platform make(const TopologyDef& topology, int nodes);

}  // namespace foreflow::platform
