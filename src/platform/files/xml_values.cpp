#include "platform/files/xml_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "foreflow/base/text.h"
#include "foreflow/platform/cpu.h"
#include "foreflow/platform/link_kinds.h"
#include "platform/files/xml_props.h"
#include "platform/link_property.h"
#include "platform/routes/ecmp.h"

namespace foreflow::platform {
namespace {

// The unit after the number; empty when a blank separates them, which SimGrid does not accept.
std::string_view unit(std::string_view value) {
  if (value.find(' ') != std::string_view::npos) return {};
  return value.substr(value.find_last_of("0123456789.") + 1);
}

bool yes(const Props& props, const char* id, bool otherwise) {
  const std::string* value = props.find(id);
  if (value == nullptr) return otherwise;
  if (*value == "yes" || *value == "1") return true;
  if (*value == "no" || *value == "0") return false;
  props.fail(fmt::format("{} is \"{}\"; say yes or no", id, *value));
}

// True when a link of this kind ends in a switch that reduces.
bool reduces_in_switch(const Props& props, const std::string& kind, const ZoneElement& zone) {
  if (props.find("nvls") != nullptr && !is_nvlink(kind))
    props.fail("only a link of the kind nvlink has the property nvls");
  if (props.find("sharp") != nullptr && !is_of_fabric(kind))
    props.fail("only a link of the kind nic or fabric has the property sharp");
  return yes(props, "nvls", is_nvlink(kind) && zone.nvls) || yes(props, "sharp", is_of_fabric(kind) && zone.sharp);
}

std::string link_kind(const Props& props) {
  const std::string* kind = props.find("kind");
  if (kind == nullptr) return "";
  for (const std::string_view known : kLinkKinds) {
    if (looks_like(*kind, known)) props.fail(fmt::format("unknown kind \"{}\"; did you mean \"{}\"?", *kind, known));
  }
  return *kind;
}

int count(const Props& props, const char* id, int least, int otherwise) {
  const std::string* value = props.find(id);
  return value == nullptr ? otherwise : props.whole_number(id, *value, least);
}

Cpu named_cpu(const Props& props, const std::string& text) {
  try {
    return cpu_named(text, "");
  } catch (const Error& error) {
    props.fail(fmt::format("cpu: {}", error.problem()));
  }
}

}  // namespace

Device read_host(const pugi::xml_node& node, const XmlSource& source) {
  const Props props(node, {"kind", "node", "memory", "memory_bandwidth", "launch", "rail", "nvlink_generation", "cpu"},
                    source);
  const std::string speed = node.attribute("speed").value();
  props.positive("speed", speed, "15.7Tf", parse_flops_rate);
  if (!unit(speed).ends_with("f")) props.fail_unreadable("speed", speed, "15.7Tf");

  Device device;
  device.name   = node.attribute("id").value();
  device.kind   = props.required("kind", "V100-SXM3-32GB");
  device.node   = props.required("node", "node0");
  device.memory = props.positive("memory", props.required("memory", "32GB"), "32GB", parse_bytes);
  device.memory_bandwidth =
      props.positive("memory_bandwidth", props.required("memory_bandwidth", "900GBps"), "900GBps", parse_bandwidth);
  device.launch = props.quantity("launch", props.required("launch", "10us"), parse_seconds);
  props.required("peak_f32", "15.7Tf");
  for (const auto& [id, value] : props.all()) {
    if (id.starts_with("peak_")) device.peaks[id.substr(5)] = props.positive(id, value, "15.7Tf", parse_flops_rate);
  }
  device.rail              = count(props, "rail", 0, -1);
  device.nvlink_generation = count(props, "nvlink_generation", 1, 0);
  if (const std::string* cpu = props.find("cpu")) device.cpu = named_cpu(props, *cpu);
  return device;
}

LinkElement read_link(const pugi::xml_node& node, const ZoneElement& zone, const XmlSource& source) {
  std::vector<std::string_view> known = {"kind", "nvls", "sharp", "nvlink_generation"};
  for (const LinkProperty& property : link_properties()) {
    if (!property.attribute) known.push_back(property.key.name);
  }
  const Props props(node, known, source);
  const std::string policy = node.attribute("sharing_policy").as_string("SHARED");
  Link link;
  link.name = node.attribute("id").value();
  for (const LinkProperty& property : link_properties()) {
    if (property.attribute) property.parse(props, node.attribute(property.key.name.c_str()).value(), link);
  }
  if (policy != "SHARED" && policy != "SPLITDUPLEX") {
    props.fail(fmt::format("sharing_policy \"{}\" is not supported; use SHARED (the default) or SPLITDUPLEX", policy));
  }
  link.kind = link_kind(props);
  for (const LinkProperty& property : link_properties()) {
    const std::string* const text = property.attribute ? nullptr : props.find(property.key.name);
    if (text != nullptr) property.parse(props, *text, link);
  }
  link.in_switch         = reduces_in_switch(props, link.kind, zone);
  link.nvlink_generation = count(props, "nvlink_generation", 1, 0);
  return {std::move(link), policy == "SPLITDUPLEX"};
}

ZoneElement read_zone_props(const pugi::xml_node& node, const XmlSource& source) {
  const Props props(node, {"ecmp", "nvls", "sharp", "relays"}, source);
  ZoneElement zone;
  zone.nvls   = yes(props, "nvls", false);
  zone.sharp  = yes(props, "sharp", false);
  zone.relays = yes(props, "relays", false);
  if (const std::string* rule = props.find("ecmp")) {
    if (find_ecmp_rule(*rule) == nullptr)
      props.fail(fmt::format("unknown ecmp \"{}\"; use {}", *rule, list_or(ecmp_rule_names())));
    zone.ecmp = *rule;
  }
  return zone;
}

}  // namespace foreflow::platform
