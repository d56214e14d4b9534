#include "platform/files/xml_shape.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "foreflow/base/text.h"

namespace foreflow::platform {
namespace {

using Words = std::vector<std::string_view>;

struct Element {
  std::string_view name;
  Words required;
  Words optional;
  Words children;
};

const std::vector<Element>& elements() {
  static const std::vector<Element> rows = {
      {"platform", {"version"}, {}, {"zone"}},
      {"zone", {"id", "routing"}, {}, {"prop", "zone", "host", "router", "link", "route", "zoneRoute"}},
      {"host", {"id", "speed"}, {}, {"prop"}},
      {"router", {"id"}, {}, {}},
      {"link", {"id", "bandwidth", "latency"}, {"sharing_policy"}, {"prop"}},
      {"route", {"src", "dst"}, {"symmetrical"}, {"link_ctn"}},
      {"zoneRoute", {"src", "dst", "gw_src", "gw_dst"}, {"symmetrical"}, {"link_ctn"}},
      {"link_ctn", {"id"}, {"direction"}, {}},
      {"prop", {"id", "value"}, {}, {}},
  };
  return rows;
}

bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string list(const Words& words) { return list_or({words.begin(), words.end()}); }

void check_attributes(const pugi::xml_node& node, const Element& element, const XmlSource& source) {
  for (pugi::xml_attribute attribute = node.first_attribute(); attribute; attribute = attribute.next_attribute()) {
    const std::string_view name = attribute.name();
    if (!contains(element.required, name) && !contains(element.optional, name)) {
      Words known = element.required;
      known.insert(known.end(), element.optional.begin(), element.optional.end());
      source.fail(node,
                  fmt::format("<{}> has the unknown attribute \"{}\"; it takes {}", element.name, name, list(known)));
    }
    if (node.attribute(attribute.name()) != attribute)
      source.fail(node, fmt::format("<{}> has the attribute \"{}\" twice; keep one", element.name, name));
  }
  for (const std::string_view name : element.required) {
    if (!node.attribute(name.data()))
      source.fail(node, fmt::format("<{}> needs the attribute \"{}\"", element.name, name));
  }
}

constexpr int kDeepest = 64;  // elements in elements; zones hold zones

void check_shape(const pugi::xml_node& node, const XmlSource& source, int depth) {
  const Element* element = find_named(elements(), node.name());
  FOREFLOW_CHECK(element != nullptr, "only known elements are entered");
  if (depth > kDeepest) source.fail(node, fmt::format("<{}> is nested more than {} deep", element->name, kDeepest));
  check_attributes(node, *element, source);
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() != pugi::node_element) {
      const std::string_view text = child.value();
      const size_t blanks         = std::min(text.find_first_not_of(" \t\r\n"), text.size());
      throw Error(source.where(static_cast<size_t>(child.offset_debug()) + blanks),
                  fmt::format("text inside <{}>; only elements stand there", element->name));
    }
    const std::string_view name = child.name();
    if (!contains(element->children, name)) {
      const std::string allowed = element->children.empty() ? "it stays empty" : "it holds " + list(element->children);
      source.fail(child, fmt::format("<{}> cannot stand in <{}>; {}", name, element->name, allowed));
    }
    check_shape(child, source, depth + 1);
  }
}

}  // namespace

XmlSource::XmlSource(const std::string& text, std::string file) : file_(std::move(file)), line_starts_{0} {
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    line_starts_.push_back(at + 1);
}

std::string XmlSource::where(size_t offset) const {
  const auto next   = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line   = next - line_starts_.begin();
  const auto column = offset - *std::prev(next) + 1;
  return fmt::format("{}:{}:{}", file_, line, column);
}

size_t XmlSource::offset(const pugi::xml_node& element) {
  const auto name_start = static_cast<size_t>(element.offset_debug());  // just after the "<"
  return name_start - 1;
}

void check_shape(const pugi::xml_node& element, const XmlSource& source) { check_shape(element, source, 1); }

}  // namespace foreflow::platform
