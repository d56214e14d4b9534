// Reads the text of a SimGrid platform file into a Tree.
#pragma once

#include <string>
#include <vector>

#include "foreflow/platform/declared.h"
#include "platform/zones/tree.h"

namespace foreflow::platform::zones {

// The numbers of the network model that a <config> states.
struct NetworkConfig {
  double bandwidth_factor = 1;  // of what a link carries
  double latency_factor   = 1;
  double window           = 0;  // bytes of TCP under way, there and back; 0: no limit
};

struct Document {
  Tree tree;
  NetworkConfig network;
  std::vector<Disk> disks;
  std::vector<Profile> profiles;  // of hosts, which stand in Profile::indices for their devices, and of links
  std::vector<std::string> ignored;
};

// True when the file is one of SimGrid's: no host states its device by the property "kind" and others of a device.
// False also when it is no XML.
bool is_simgrid_form(const std::string& xml_text);

// Throws Error("FILE:LINE:COLUMN", ...) at the first part that SimGrid or Foreflow cannot use.
Document read(const std::string& xml_text, const std::string& file);

}  // namespace foreflow::platform::zones
