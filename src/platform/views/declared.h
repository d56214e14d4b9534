// The part of a platform's description that lists what its file declares besides devices and links, and what was
// assumed.
#pragma once

#include <string>

#include "foreflow/base/json.h"
#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// Lines of disks, profiles, assumptions and of what is not honoured; "" when there is none.
std::string describe_declared(const Platform& platform);
// Adds members to the description as JSON, where there is something to tell.
void add_declared(const Platform& platform, Json& json);

// A bandwidth that may be infinite: "no limit", and null.
std::string limit_text(BytesPerSecond bandwidth);
Json limit_json(BytesPerSecond bandwidth);

}  // namespace foreflow::platform
