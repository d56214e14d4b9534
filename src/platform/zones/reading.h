// The state that the parts of the reader share while a file is read.
#pragma once

#include <fmt/core.h>

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "foreflow/base/error.h"
#include "platform/files/xml_shape.h"
#include "platform/kinds.h"
#include "platform/zones/profile_text.h"
#include "platform/zones/reader.h"

namespace foreflow::platform::zones {

struct Reading {
  const std::string& file;
  const XmlSource& source;
  Document document{};
  KindNumbers<Link> link_kinds{};
  std::unordered_map<std::string, int> splits{};    // SPLITDUPLEX links by the name of both directions: the first
  std::unordered_map<std::string, Steps> traces{};  // by id
  std::vector<pugi::xml_node> connections{};        // of traces
  std::vector<std::string> folders{};               // of profiles, beside that of the file
  std::unordered_map<std::string, std::vector<int>> series{};         // blocks of hosts by prefix and suffix
  int fat_tree_hosts = 0, fat_tree_cables = 0, dragonfly_cables = 0;  // so far

  Tree& tree() { return document.tree; }

  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& what) const { source.fail(node, what); }

  // Returns the result of `parse`. If it throws Error, throws one with the place of the element that names `what`.
  template <class Parse>
  auto at(const pugi::xml_node& node, const std::string& what, Parse parse) const {
    try {
      return parse();
    } catch (const Error& error) {
      fail(node, what.empty() ? error.problem() : what + ": " + error.problem());
    }
  }
};

std::string text(const pugi::xml_node& node, const char* attribute);

// The parts. Each reads one element, of which the attributes have passed check_dtd().
void read_zone(Reading& reading, const pugi::xml_node& node, int parent);
void read_cluster(Reading& reading, const pugi::xml_node& node, int parent);
void read_cabinet(Reading& reading, const pugi::xml_node& node, int zone, int backbone);
void read_peer(Reading& reading, const pugi::xml_node& node, int zone);
void read_host(Reading& reading, const pugi::xml_node& node, int zone);
void read_link(Reading& reading, const pugi::xml_node& node);
void read_route(Reading& reading, const pugi::xml_node& node, int zone);
void read_config(Reading& reading, const pugi::xml_node& node);
void read_trace(Reading& reading, const pugi::xml_node& node);
void connect_trace(Reading& reading, const pugi::xml_node& node);  // when all is read
void connect_traces(Reading& reading);
// The profile that an attribute names, if any, becomes one of the host or link.
void read_profile_of(Reading& reading, const pugi::xml_node& node, const char* attribute, Profile::What what,
                     const std::vector<int>& indices);
void add_profile(Reading& reading, const pugi::xml_node& node, Profile profile);

// A new zone. Its number.
int add_zone(Reading& reading, const pugi::xml_node& node, int parent);
// A new router with a name of its own. Its member number.
int add_member(Reading& reading, const pugi::xml_node& node, const std::string& name, int zone);
// A block of equal hosts, as new members of the zone. Its first host.
int add_hosts(Reading& reading, const pugi::xml_node& node, Series names, int zone, FlopsPerSecond speed, int cores);
// Links of one name each, or of two where they are split. The number of the first.
int add_links(Reading& reading, const pugi::xml_node& node, Series names, bool split, const Link& numbers);
int core_count(const Reading& reading, const pugi::xml_node& node);
int backbone_of(Reading& reading, const pugi::xml_node& zone);  // -1: there is none
// Returns the name that was probably meant by `id`.
std::string nearest_point(Reading& reading, const std::string& id);

}  // namespace foreflow::platform::zones
