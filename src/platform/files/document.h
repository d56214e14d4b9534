// A checked platform file as plain values. Only the reader knows the XML library.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "foreflow/platform/platform.h"

namespace foreflow::platform {

struct RouteSpec {
  std::string from;  // members of the zone
  std::string to;
  std::string gateway_from;  // inside the zones `from` and `to`; empty when those are no zones
  std::string gateway_to;
  std::vector<int> links;  // in order: indices into Document::links
  size_t offset;           // of its element in the text
};

struct ZoneSpec {
  std::string where;  // "FILE:LINE:COLUMN"
  std::string id;
  std::string routing;
  std::string ecmp;
  bool relays = false;
  std::vector<std::string> hosts;    // its own, in order
  std::vector<std::string> routers;  // its own
  std::vector<ZoneSpec> zones;
  std::vector<RouteSpec> routes;  // a symmetrical one stands here twice
};

struct Document {
  ZoneSpec root;
  std::vector<Device> devices;  // in the order of the file
  // A link in one direction, as SimGrid names it: "X", or "X_UP" and after it "X_DOWN" for a SPLITDUPLEX link X.
  std::vector<Link> links;
  std::vector<size_t> link_offsets;  // of their elements in the text
};

// Throws Error("FILE:LINE:COLUMN", ...) at the first part that SimGrid or Foreflow cannot use.
Document read_document(const std::string& xml_text, const std::string& file);

// True when the file is in graph form, which Foreflow routes itself: a single zone with routing "Dijkstra".
bool is_graph(const Document& document);

// The graph of such a file. Throws Error("FILE:LINE:COLUMN", ...) when an edge has no reverse direction, or a link is
// not in exactly one edge.
Graph read_graph(const Document& document, const std::string& xml_text, const std::string& file);

// Throws Error naming two devices when a zone leaves them without a route. SimGrid would drop the missing leg silently
// or crash. Gateways that lie two zones deep are left to SimGrid.
void check_routed(const ZoneSpec& root);

}  // namespace foreflow::platform
