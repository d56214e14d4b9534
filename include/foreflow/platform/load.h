// Reads platforms from SimGrid XML. The text is checked first, so that errors name line and column. There are three
// kinds of files:
//   1. Any file of SimGrid, whose hosts say nothing of devices: zones of every routing, clusters held by rule. Foreflow
//      routes it as SimGrid 3.32 does, to the last link (src/platform/zones). Wifi zones are refused.
//   2. A file whose hosts state their devices by properties, in graph form (a single zone with routing "Dijkstra"):
//      routed by Foreflow, at any size.
//   3. Such a file with other zones: routed by SimGrid, pair by pair, in a child process, because SimGrid ends its
//      process on some errors.
#pragma once

#include <string>

#include "foreflow/platform/host_devices.h"
#include "foreflow/platform/platform.h"
#include "foreflow/platform/recipe.h"

namespace foreflow::platform {

// Reads a platform of DTD version 4.1. platforms/README.md lists the properties that hosts and links of files of the
// kinds 2 and 3 carry. Devices are in the order of the text. `name` is the file name in messages and the name of the
// platform. Throws Error("NAME:LINE:COLUMN", ...), or Error(NAME, ...) when two devices of a graph are not connected,
// or SimGrid refuses a file that passed the checks. `plan` says what sits in hosts whose devices the file does not
// name. Of other files, `device` for all of them is possible and changes what they have.
Platform load(const std::string& xml_text, const std::string& name, const DevicePlan& plan = {});

// Loads a file. Throws Error also when it cannot be read.
Platform load_file(const std::string& path, const DevicePlan& plan = {});

// The machine of a recipe, represented by rules. Equal to what load() returns for write_xml(recipe), but takes no time
// at any size. Its name is name_of(recipe).
Platform make(const Recipe& recipe);

// `nodes` nodes of a topology on the default fabric. Throws Error when `nodes` is below 1.
Platform make(const TopologyDef& topology, int nodes);

}  // namespace foreflow::platform
