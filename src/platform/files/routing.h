// The result of loading a platform file in SimGrid, as plain values that a child process sends as bytes.
#pragma once

#include <string>
#include <vector>

#include "platform/files/document.h"

namespace foreflow::platform {

struct Routing {
  std::vector<double> bandwidth;  // of every link of the document, bytes per second
  std::vector<double> latency;    // of every link, seconds
  std::vector<int> lengths;       // links on the route from device i to device j, at i * devices + j
  std::vector<int> crossed;       // the links of all routes, one after the other
};

// Loads the text into SimGrid and asks it for the route of every pair of devices. Throws Error(name, ...), or ends the
// process where SimGrid does: call it in a child.
Routing ask_simgrid(const std::string& xml_text, const std::string& name, const Document& document);

std::string to_bytes(const Routing& routing);
Routing from_bytes(const std::string& bytes);

}  // namespace foreflow::platform
