#include "platform/zones/dtd.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "foreflow/base/text.h"

namespace foreflow::platform::zones {
namespace {

struct Attribute {
  std::string_view name;
  bool required                        = true;
  std::string_view otherwise           = {};  // the default
  std::vector<std::string_view> values = {};  // all that are allowed; empty: any text
};

// A child may stand in the parts `first` to `last` of its parent; parts follow one another.
struct Child {
  std::string_view name;
  int first, last;
};

struct Element {
  std::string_view name;
  std::vector<Attribute> attributes;
  std::vector<Child> children = {};
  bool text                   = false;  // holds text
};

Attribute optional(std::string_view name, std::string_view otherwise = "") { return {name, false, otherwise}; }
Attribute one_of(std::string_view name, std::string_view otherwise, std::vector<std::string_view> values) {
  return {name, false, otherwise, std::move(values)};
}

std::vector<Child> children(int part, std::initializer_list<std::string_view> names) {
  std::vector<Child> result;
  for (const std::string_view name : names) result.push_back({name, part, part});
  return result;
}

std::vector<Child> parts(std::initializer_list<std::initializer_list<std::string_view>> each) {
  std::vector<Child> result;
  int part = 0;
  for (const auto& names : each) {
    for (const Child& child : children(part, names)) result.push_back(child);
    ++part;
  }
  return result;
}

// Traces stand among the elements and among the routes.
std::vector<Child> zone_children() {
  std::vector<Child> all =
      parts({{"prop"},
             {"AS", "zone", "include", "storage_type", "storage", "host", "cabinet", "router", "link", "backbone",
              "cluster", "peer", "host_link"},
             {"route", "zoneRoute", "ASroute", "bypassRoute", "bypassZoneRoute", "bypassASroute"}});
  all.push_back({"trace", 1, 2});
  all.push_back({"trace_connect", 1, 2});
  return all;
}

std::vector<Attribute> ends_of_route(bool gateways, bool symmetrical) {
  std::vector<Attribute> all = {{"src"}, {"dst"}};
  if (gateways) all.insert(all.end(), {{"gw_src"}, {"gw_dst"}});
  if (symmetrical) all.push_back(one_of("symmetrical", "YES", {"YES", "NO", "yes", "no"}));
  return all;
}

std::vector<Attribute> process_attributes() {
  return {{"host"},
          {"function"},
          optional("start_time"),
          optional("kill_time"),
          one_of("on_failure", "DIE", {"DIE", "RESTART"})};
}

const std::vector<Element>& elements() {
  static const std::vector<Child> props      = parts({{"prop"}});
  static const std::vector<Child> crossed    = parts({{"link_ctn"}});
  static const std::vector<Attribute> series = {{"id"},    {"prefix"}, {"suffix"}, {"radical"},
                                                {"speed"}, {"bw"},     {"lat"}};
  static const std::vector<Element> rows     = [] {
    std::vector<Attribute> cluster = series;
    cluster.insert(
            cluster.end(),
            {optional("core", "1"),
         one_of("sharing_policy", "SPLITDUPLEX", {"SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE"}),
         one_of("topology", "FLAT", {"FLAT", "TORUS", "FAT_TREE", "DRAGONFLY"}), optional("topo_parameters"),
         optional("bb_bw"), optional("bb_lat", "0s"), one_of("bb_sharing_policy", "SHARED", {"SHARED", "FATPIPE"}),
         optional("router_id"), optional("limiter_link"), optional("loopback_bw"), optional("loopback_lat")});
    return std::vector<Element>{
        {"platform",
         {{"version"}},
         parts({{"config", "random"},
                {"include", "cluster", "cabinet", "peer", "AS", "zone", "trace", "trace_connect"},
                {"process", "actor"}})},
        {"config", {optional("id")}, props},
        {"random",
         {{"id"},
          {"min"},
          {"max"},
          {"mean"},
          {"std_deviation"},
          optional("seed"),
          optional("radical"),
          optional("generator")}},
        {"include", {{"file"}}},
        {"trace", {{"id"}, optional("file"), {"periodicity"}}, {}, true},
        {"trace_connect",
         {one_of("kind", "HOST_AVAIL", {"HOST_AVAIL", "SPEED", "LINK_AVAIL", "BANDWIDTH", "LATENCY"}),
          {"trace"},
          {"element"}}},
        {"zone", {{"id"}, {"routing"}}, zone_children()},
        {"AS", {{"id"}, {"routing"}}, zone_children()},
        {"storage_type", {{"id"}, optional("model"), {"size"}, optional("content")}, parts({{"model_prop", "prop"}})},
        {"storage", {{"id"}, {"typeId"}, optional("content"), {"attach"}}, props},
        {"mount", {{"storageId"}, {"name"}}},
        {"host",
         {{"id"},
          {"speed"},
          optional("core", "1"),
          optional("speed_file"),
          optional("availability_file"),
          optional("state_file"),
          optional("coordinates"),
          optional("pstate", "0")},
         parts({{"disk", "prop", "mount"}})},
        {"disk", {optional("id", "/"), {"read_bw"}, {"write_bw"}}, props},
        {"host_link", {{"id"}, {"up"}, {"down"}}},
        {"cluster", std::move(cluster), props},
        {"cabinet", series},
        {"peer",
         {{"id"},
          {"speed"},
          {"bw_in"},
          {"bw_out"},
          optional("lat"),
          optional("coordinates"),
          optional("speed_file"),
          optional("availability_file"),
          optional("state_file")}},
        {"router", {{"id"}, optional("coordinates")}},
        {"backbone", {{"id"}, {"bandwidth"}, {"latency"}}},
        {"link",
         {{"id"},
          {"bandwidth"},
          optional("bandwidth_file"),
          optional("latency", "0"),
          optional("latency_file"),
          optional("state_file"),
          one_of("sharing_policy", "SHARED", {"SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE", "WIFI"})},
         props},
        {"route", ends_of_route(false, true), crossed},
        {"zoneRoute", ends_of_route(true, true), crossed},
        {"ASroute", ends_of_route(true, true), crossed},
        {"bypassRoute", ends_of_route(false, false), crossed},
        {"bypassZoneRoute", ends_of_route(true, false), crossed},
        {"bypassASroute", ends_of_route(true, false), crossed},
        {"link_ctn", {{"id"}, one_of("direction", "NONE", {"UP", "DOWN", "NONE"})}},
        {"process", process_attributes(), parts({{"argument", "prop"}})},
        {"actor", process_attributes(), parts({{"argument", "prop"}})},
        {"argument", {{"value"}}},
        {"prop", {{"id"}, {"value"}}},
        {"model_prop", {{"id"}, {"value"}}},
    };
  }();
  return rows;
}

template <class Rows>
std::vector<std::string> names(const Rows& rows) {
  std::vector<std::string> result;
  for (const auto& row : rows) result.emplace_back(row.name);
  return result;
}

void check_value(const pugi::xml_node& node, const Attribute& row, std::string_view value, const XmlSource& source) {
  if (row.values.empty() || std::find(row.values.begin(), row.values.end(), value) != row.values.end()) return;
  source.fail(node,
              fmt::format("{} is \"{}\"; use {}", row.name, value, list_or({row.values.begin(), row.values.end()})));
}

void check_attributes(const pugi::xml_node& node, const Element& element, const XmlSource& source) {
  for (pugi::xml_attribute given = node.first_attribute(); given; given = given.next_attribute()) {
    const std::string_view name = given.name();
    const Attribute* const row  = find_named(element.attributes, name);
    if (row == nullptr) {
      source.fail(node, element.attributes.empty()
                            ? fmt::format("<{}> has the unknown attribute \"{}\"; it takes none", element.name, name)
                            : fmt::format("<{}> has the unknown attribute \"{}\"; it takes {}", element.name, name,
                                          list_or(names(element.attributes))));
    }
    if (node.attribute(given.name()) != given)
      source.fail(node, fmt::format("<{}> has the attribute \"{}\" twice; keep one", element.name, name));
    check_value(node, *row, given.value(), source);
  }
  for (const Attribute& row : element.attributes) {
    if (row.required && !node.attribute(row.name.data()))
      source.fail(node, fmt::format("<{}> needs the attribute \"{}\"", element.name, row.name));
  }
}

// Elements that SimGrid 3.32 has in its grammar and refuses.
void refuse_removed(const pugi::xml_node& node, const XmlSource& source) {
  if (node.name() == std::string_view("include"))
    source.fail(node, "<include> was removed in SimGrid 3.18; put the content of the file here");
}

void check_text(const pugi::xml_node& child, const Element& element, const XmlSource& source) {
  if (element.text && (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata)) return;
  const std::string_view text = child.value();
  const size_t blanks         = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  throw Error(source.where(static_cast<size_t>(child.offset_debug()) + blanks),
              fmt::format("text inside <{}>; only elements stand there", element.name));
}

constexpr int kDeepest = 64;  // elements in elements; zones hold zones

void check(const pugi::xml_node& node, const Element& element, int depth, const XmlSource& source) {
  if (depth > kDeepest) source.fail(node, fmt::format("<{}> is nested more than {} deep", element.name, kDeepest));
  check_attributes(node, element, source);
  int part = 0;
  for (const pugi::xml_node& inside : node.children()) {
    if (inside.type() != pugi::node_element) {
      check_text(inside, element, source);
      continue;
    }
    const std::string_view name = inside.name();
    const Child* const row      = find_named(element.children, name);
    if (row == nullptr) {
      source.fail(inside, fmt::format("<{}> cannot stand in <{}>; {}", name, element.name,
                                      element.children.empty() ? "it stays empty"
                                                               : "it holds " + list_or(names(element.children))));
    }
    refuse_removed(inside, source);
    if (row->last < part) {
      source.fail(inside, fmt::format("<{}> stands too late in <{}>; put it before <{}>", name, element.name,
                                      inside.previous_sibling().name()));
    }
    part = std::max(part, row->first);
    check(inside, *find_named(elements(), name), depth + 1, source);
  }
}

}  // namespace

void check_dtd(const pugi::xml_node& platform, const XmlSource& source) {
  check(platform, *find_named(elements(), "platform"), 1, source);
}

std::string_view attribute(const pugi::xml_node& element, const char* name) {
  if (const pugi::xml_attribute given = element.attribute(name)) return given.value();
  const Element* const row     = find_named(elements(), element.name());
  const Attribute* const asked = row == nullptr ? nullptr : find_named(row->attributes, name);
  FOREFLOW_CHECK(asked != nullptr, "only what the grammar has is asked for");
  return asked->otherwise;
}

}  // namespace foreflow::platform::zones
