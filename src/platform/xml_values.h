// What <host> and <link> elements say, checked and converted.
#pragma once

#include "foreflow/platform/platform.h"
#include "platform/xml_shape.h"

namespace foreflow::platform {

struct LinkElement {
  std::string name;
  std::string kind;  // "" when the file does not say
  bool split;        // SPLITDUPLEX: one link for each direction
};

Device read_host(const pugi::xml_node& node, const XmlSource& source);

// Bandwidth and latency are checked here but taken from SimGrid later.
LinkElement read_link(const pugi::xml_node& node, const XmlSource& source);

}  // namespace foreflow::platform
