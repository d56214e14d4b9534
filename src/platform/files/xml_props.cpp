#include "platform/files/xml_props.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "foreflow/base/text.h"

namespace foreflow::platform {
bool looks_like(std::string_view word, std::string_view known) {
  if (word == known || word.size() < 4) return false;
  if (std::equal(word.begin(), word.end(), known.begin(), known.end(),
                 [](unsigned char a, unsigned char b) { return std::tolower(a) == b; }))
    return true;
  const auto split   = std::mismatch(word.begin(), word.end(), known.begin(), known.end());
  const auto written = std::string_view(split.first, word.end()), meant = std::string_view(split.second, known.end());
  const auto tail = [](std::string_view text, size_t skipped) {
    return skipped <= text.size() ? text.substr(skipped) : std::string_view("\n");
  };
  if (tail(written, 1) == tail(meant, 1) || tail(written, 1) == meant || written == tail(meant, 1)) return true;
  return written.size() >= 2 && meant.size() >= 2 && written[0] == meant[1] && written[1] == meant[0] &&
         tail(written, 2) == tail(meant, 2);
}

Props::Props(const pugi::xml_node& node, const std::vector<std::string_view>& known, const XmlSource& source)
    : node_(node), source_(source) {
  for (const pugi::xml_node& prop : node.children("prop")) {
    const std::string id = prop.attribute("id").value();
    if (!props_.emplace(id, prop.attribute("value").value()).second)
      source.fail(prop, fmt::format("the property \"{}\" stands twice; keep one", id));
    if (std::find(known.begin(), known.end(), id) != known.end() || id.starts_with("peak_")) continue;
    for (const std::string_view word : known) {
      if (looks_like(id, word))
        source.fail(prop, fmt::format("unknown property \"{}\"; did you mean \"{}\"?", id, word));
    }
  }
}

const std::string* Props::find(std::string_view id) const {
  const auto found = props_.find(id);
  return found == props_.end() ? nullptr : &found->second;
}

const std::string& Props::required(std::string_view id, std::string_view example) const {
  const std::string* value = find(id);
  if (value == nullptr || value->empty()) {
    const bool of_kind = id != "kind" && find("kind") != nullptr;
    fail(fmt::format("needs <prop id=\"{}\" value=\"{}\"/>{}", id, example, of_kind ? " beside its \"kind\"" : ""));
  }
  return *value;
}

double Props::number(std::string_view what, const std::string& value) const {
  const auto result = parse_number<double>(value);
  if (!result || !std::isfinite(*result)) fail(fmt::format("{} \"{}\" is no number", what, value));
  return *result;
}

int Props::whole_number(std::string_view what, const std::string& value, int least) const {
  const auto result = parse_number<int>(value);
  if (!result || *result < least) fail(fmt::format("{} \"{}\" must be a whole number, {} or more", what, value, least));
  return *result;
}

}  // namespace foreflow::platform
