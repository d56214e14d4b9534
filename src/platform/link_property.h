// The numeric properties of a link as rows of a table: how scenarios, platform files and reports write each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/platform/link_changes.h"
#include "platform/files/xml_props.h"

namespace foreflow::platform {

struct LinkProperty {
  KeyDef key;               // of a scenario; its name is also that of the attribute or <prop> of a platform file
  bool attribute = false;   // of <link>, which every link has; the others are a <prop> of those that need one
  std::string_view result;  // the key in the answer of `foreflow platform --json`

  // The value of a scenario. Throws Error at it.
  void (*read)(const JsonView& value, Link& link);
  // The text of a platform file. Throws Error that begins with the link.
  void (*parse)(const Props& props, const std::string& text, Link& link);
  // For people, where it is worth saying; otherwise empty.
  std::string (*describe)(const Link& link);

  void (*copy)(const Link& from, Link& to) = nullptr;
  std::string (*text)(const Link& link)    = nullptr;  // as platform files have it
  double (*number)(const Link& link)       = nullptr;  // in SI units
  Json (*json)(const Link& link)           = nullptr;
};

const std::vector<LinkProperty>& link_properties();

// The link with the properties that `change` states.
Link changed(const LinkNumbers& change, Link link);
// The properties that either states. If both state a property, the result has the value of `change`.
LinkNumbers changed(const LinkNumbers& change, LinkNumbers numbers);

}  // namespace foreflow::platform
