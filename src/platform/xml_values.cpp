#include "platform/xml_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>

namespace foreflow::platform {
namespace {

constexpr std::array<std::string_view, 4> kSimgridTimes = {"ns", "us", "ms", "s"};

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What follows the number; empty when a blank is between, which SimGrid does not skip.
std::string_view unit(std::string_view value) {
  if (value.find(' ') != std::string_view::npos) return {};
  return value.substr(value.find_last_of("0123456789.") + 1);
}

// Reads the values of one element; `name_` ("link \"a\"") begins its messages.
class Values {
 public:
  Values(const pugi::xml_node& node, const XmlSource& source)
      : node_(node), source_(source), name_(fmt::format("{} \"{}\"", node.name(), node.attribute("id").value())) {
    for (const pugi::xml_node& prop : node.children("prop")) {
      const std::string id = prop.attribute("id").value();
      if (!props_.emplace(id, prop.attribute("value").value()).second) {
        source.fail(prop, fmt::format("the property \"{}\" stands twice; keep one", id));
      }
    }
  }

  [[noreturn]] void fail(const std::string& what) const { source_.fail(node_, fmt::format("{}: {}", name_, what)); }
  const std::map<std::string, std::string>& props() const { return props_; }

  std::string prop(const std::string& id, const char* example) const {
    const auto found = props_.find(id);
    if (found == props_.end() || found->second.empty())
      fail(fmt::format("needs <prop id=\"{}\" value=\"{}\"/>", id, example));
    return found->second;
  }

  template <class Parse>
  auto quantity(const std::string& what, const std::string& value, Parse parse) const {
    try {
      return parse(value, "");
    } catch (const Error& error) {
      fail(fmt::format("{} {}", what, error.problem()));
    }
  }

  template <class Parse>
  auto positive(const std::string& what, const std::string& value, const char* example, Parse parse) const {
    const auto parsed = quantity(what, value, parse);
    if (parsed.value() <= 0) fail(fmt::format("{} \"{}\" must be above zero, like \"{}\"", what, value, example));
    return parsed;
  }

  // SimGrid knows fewer spellings of units than we do; refuse those that only we can read.
  [[noreturn]] void fail_unreadable(const std::string& what, const std::string& value, const char* example) const {
    fail(fmt::format("{} \"{}\" cannot be read by SimGrid; write it like \"{}\"", what, value, example));
  }

 private:
  const pugi::xml_node& node_;
  const XmlSource& source_;
  std::string name_;
  std::map<std::string, std::string> props_;
};

}  // namespace

Device read_host(const pugi::xml_node& node, const XmlSource& source) {
  const Values values(node, source);
  const std::string speed = node.attribute("speed").value();
  values.positive("speed", speed, "15.7Tf", parse_flops_rate);
  if (!unit(speed).ends_with("f")) values.fail_unreadable("speed", speed, "15.7Tf");

  Device device;
  device.name   = node.attribute("id").value();
  device.kind   = values.prop("kind", "V100-SXM3-32GB");
  device.node   = values.prop("node", "node0");
  device.memory = values.positive("memory", values.prop("memory", "32GB"), "32GB", parse_bytes);
  device.memory_bandwidth =
      values.positive("memory_bandwidth", values.prop("memory_bandwidth", "900GBps"), "900GBps", parse_bandwidth);
  device.launch = values.quantity("launch", values.prop("launch", "10us"), parse_seconds);
  values.prop("peak_f32", "15.7Tf");
  for (const auto& [id, value] : values.props()) {
    if (id.starts_with("peak_")) device.peaks[id.substr(5)] = values.positive(id, value, "15.7Tf", parse_flops_rate);
  }
  return device;
}

LinkElement read_link(const pugi::xml_node& node, const XmlSource& source) {
  const Values values(node, source);
  const std::string bandwidth = node.attribute("bandwidth").value();
  const std::string latency   = node.attribute("latency").value();
  const std::string policy    = node.attribute("sharing_policy").as_string("SHARED");
  values.positive("bandwidth", bandwidth, "25GBps", parse_bandwidth);
  if (!unit(bandwidth).ends_with("ps")) values.fail_unreadable("bandwidth", bandwidth, "25GBps");
  values.quantity("latency", latency, parse_seconds);
  if (!contains(kSimgridTimes, unit(latency))) values.fail_unreadable("latency", latency, "2us");
  if (policy != "SHARED" && policy != "SPLITDUPLEX") {
    values.fail(fmt::format("sharing_policy \"{}\" is not supported; use SHARED (the default) or SPLITDUPLEX", policy));
  }
  const auto kind = values.props().find("kind");
  return {node.attribute("id").value(), kind == values.props().end() ? "" : kind->second, policy == "SPLITDUPLEX"};
}

}  // namespace foreflow::platform
