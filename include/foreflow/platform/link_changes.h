// Other numbers for links than a recipe or a file has. They are what sweeps vary.
//
//   "links": {"nic": {"bandwidth": "50GBps"}, "node0-nic1": {"bandwidth": "5GBps", "latency": "20us"}}
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "foreflow/base/json.h"
#include "foreflow/platform/platform.h"

namespace foreflow::platform {

struct LinkChange {
  std::optional<BytesPerSecond> bandwidth;  // above zero
  std::optional<Seconds> latency;
  bool operator==(const LinkChange&) const = default;
};

// By kind ("nic": all links of the kind) or by name (both directions), which counts for more.
using LinkChanges = std::map<std::string, LinkChange>;

// The member "links" of a platform; none when it is absent. Throws Error at what cannot be.
LinkChanges read_link_changes(const JsonView& json);

// Throws Error at the member of "links" that is in neither set, with the nearest of both.
void check_link_changes(const JsonView& json, const std::set<std::string>& kinds, const std::set<std::string>& names);

// The platform with other links, over which a graph finds its routes anew. A link that is "X_UP" and "X_DOWN" in
// SimGrid is also known as "X". Throws Error when no link has a kind or name of `changes`.
Platform with_links(const Platform& platform, const LinkChanges& changes);

}  // namespace foreflow::platform
