// SimGrid XML to Platform. The text is checked first, in our own words with line and column. A file in graph form, one
// zone with routing "Dijkstra", is routed by us and has any size. Any other is routed by SimGrid itself, pair by pair,
// in a child process because it ends the process on some mistakes.
#pragma once

#include <string>

#include "foreflow/platform/platform.h"
#include "foreflow/platform/recipe.h"

namespace foreflow::platform {

// Reads a platform of version 4.1 made of zones (Full, Floyd, Dijkstra, DijkstraCache, None), hosts, routers, links and
// routes. platforms/README.md lists the properties that hosts and links carry. Devices have the order of the text.
// `name` is the file name in messages and the name of the platform. Throws Error("NAME:LINE:COLUMN", ...), or
// Error(NAME, ...) when two devices of a graph are not joined or SimGrid refuses what our checks let pass.
Platform load(const std::string& xml_text, const std::string& name);

// The same for a file. Throws Error also when the file cannot be read.
Platform load_file(const std::string& path);

// The machine of a recipe, held by rule: what load() makes of write_xml(recipe), in no time. Its name is
// name_of(recipe).
Platform make(const Recipe& recipe);

// So many nodes on the default fabric. Throws Error when `nodes` is below 1.
Platform make(const TopologyDef& topology, int nodes);

}  // namespace foreflow::platform
