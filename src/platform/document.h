// A platform file after checking: what it declares, as plain values. Only the reader knows the XML library.
#pragma once

#include <string>
#include <vector>

#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// A link in one direction, as SimGrid names it: "X", or "X_UP" and "X_DOWN" for a SPLITDUPLEX link X.
struct LinkSpec {
  std::string name;
  std::string kind;
};

struct RouteSpec {
  std::string from;  // members of the zone
  std::string to;
  std::string gateway_from;  // inside the zones `from` and `to`; empty when those are no zones
  std::string gateway_to;
};

struct ZoneSpec {
  std::string where;  // "FILE:LINE:COLUMN"
  std::string id;
  std::string routing;
  std::vector<std::string> hosts;    // its own, in order
  std::vector<std::string> routers;  // its own
  std::vector<ZoneSpec> zones;
  std::vector<RouteSpec> routes;  // a symmetrical one stands here twice
};

struct Document {
  ZoneSpec root;
  std::vector<Device> devices;  // in the order of the file
  std::vector<LinkSpec> links;
};

// Throws Error("FILE:LINE:COLUMN", ...) at the first thing that SimGrid or we could not use.
Document read_document(const std::string& xml_text, const std::string& file);

// Throws Error naming two devices when a zone leaves them without a route. SimGrid would drop the missing leg silently
// or crash. Gateways that lie two zones deep are left to SimGrid.
void check_routed(const ZoneSpec& root);

}  // namespace foreflow::platform
