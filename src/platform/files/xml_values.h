// The values of <host> and <link> elements, checked and converted.
#pragma once

#include "foreflow/platform/platform.h"
#include "platform/files/xml_shape.h"

namespace foreflow::platform {

struct LinkElement {
  Link link;   // of a SPLITDUPLEX link, either direction: without _UP or _DOWN
  bool split;  // SPLITDUPLEX: one link for each direction
};

// The properties that a zone states for its members.
struct ZoneElement {
  std::string ecmp = "dmodk";
  bool nvls        = false;  // its nvlink links reduce in the switch, unless they say otherwise
  bool sharp       = false;  // its nic and fabric links do
  bool relays      = false;  // its hosts forward what others of their server send
};

// A device without prop "rail" has the rail -1.
Device read_host(const pugi::xml_node& node, const XmlSource& source);

// Bandwidth and latency are read as SimGrid would.
LinkElement read_link(const pugi::xml_node& node, const ZoneElement& zone, const XmlSource& source);

ZoneElement read_zone_props(const pugi::xml_node& node, const XmlSource& source);

}  // namespace foreflow::platform
