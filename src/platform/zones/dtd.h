// The grammar of SimGrid's platform files: its DTD of version 4.1, as rows.
#pragma once

#include "platform/files/xml_shape.h"

namespace foreflow::platform::zones {

// Checks names, attributes, nesting and order of `platform` and everything in it. Throws Error at the first mistake,
// and at elements that SimGrid itself has removed.
void check_dtd(const pugi::xml_node& platform, const XmlSource& source);

// The value of an attribute, or its default by the DTD. The element must have passed check_dtd().
std::string_view attribute(const pugi::xml_node& element, const char* name);

}  // namespace foreflow::platform::zones
