// The numeric properties of a link as rows of a table: how scenarios, platform files and reports write each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/platform/link_changes.h"
#include "platform/xml_props.h"

namespace foreflow::platform {

struct LinkProperty {
  KeyDef key;               // of a scenario; its name is also that of the attribute or <prop> of a platform file
  bool attribute = false;   // of <link>, which every link has; the others are a <prop> of those that need one
  std::string_view result;  // the key in the answer of `foreflow platform --json`

  // The value of a scenario. Throws Error at it.
  void (*read)(const JsonView& value, LinkNumbers& numbers);
  // The text of a platform file. Throws Error that begins with the link.
  void (*parse)(const Props& props, const std::string& text, Link& link);
  // For people, where it is worth saying; otherwise empty.
  std::string (*describe)(const Link& link);

  // Takes the number of `change`, if it has one.
  void (*override_numbers)(const LinkNumbers& change, LinkNumbers& numbers) = nullptr;
  void (*override_link)(const LinkNumbers& change, Link& link)              = nullptr;
  // As platform files have it; nothing where `numbers` does not say it.
  std::optional<std::string> (*text)(const LinkNumbers& numbers) = nullptr;
  double (*number)(const Link& link)                             = nullptr;  // in SI units
  Json (*json)(const Link& link)                                 = nullptr;
};

const std::vector<LinkProperty>& link_property_rows();

}  // namespace foreflow::platform
