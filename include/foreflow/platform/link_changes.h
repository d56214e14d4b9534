// Other numbers for links than a recipe or a file has. They are what sweeps vary.
//
//   "links": {"nic": {"bandwidth": "50GBps", "efficiency": 0.9}, "node0-nic1": {"bandwidth": "5GBps", "latency":
//   "20us"}}
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/base/key.h"
#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// Numbers of a link as Link has them, where they are stated. src/platform/link_property.h says how each is written.
struct LinkNumbers {
  std::optional<BytesPerSecond> bandwidth   = {};  // above zero
  std::optional<Seconds> latency            = {};
  std::optional<double> efficiency          = {};  // in (0, 1]
  std::optional<int> channels               = {};  // 1 or more
  std::optional<Seconds> step_latency       = {};
  bool operator==(const LinkNumbers&) const = default;
};

// The keys of one of "links".
const Keys& link_keys();

// By kind ("nic": all links of the kind) or by name (both directions), which counts for more.
using LinkChanges = std::map<std::string, LinkNumbers>;

// The member "links" of a platform; none when it is absent. Throws Error at what cannot be.
LinkChanges read_link_changes(const JsonView& json);

// What `changes` say of a link of this kind and name; of each number, the name counts for more.
LinkNumbers numbers_of(const LinkChanges& changes, const std::string& kind, const std::string& name);

// Throws Error at the member of "links" that is in neither set, with the nearest of both.
void check_link_changes(const JsonView& json, const std::set<std::string>& kinds, const std::set<std::string>& names);

// The platform with other links, over which a graph finds its routes anew. A link that is "X_UP" and "X_DOWN" in
// SimGrid is also known as "X". Throws Error when no link has a kind or name of `changes`.
Platform with_links(const Platform& platform, const LinkChanges& changes);

}  // namespace foreflow::platform
