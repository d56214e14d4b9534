// Other numbers for links than a recipe or a file has. They are what sweeps vary.
//
//   "links": {"nic": {"bandwidth": "50GBps", "efficiency": 0.9}, "node0-nic1": {"bandwidth": "5GBps", "latency":
//   "20us"}}
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// As Link has them.
struct LinkChange {
  std::optional<BytesPerSecond> bandwidth  = {};  // above zero
  std::optional<Seconds> latency           = {};
  std::optional<double> efficiency         = {};  // in (0, 1]
  std::optional<int> channels              = {};  // 1 or more
  std::optional<Seconds> step_latency      = {};
  bool operator==(const LinkChange&) const = default;
};

// By kind ("nic": all links of the kind) or by name (both directions), which counts for more.
using LinkChanges = std::map<std::string, LinkChange>;

// The member "links" of a platform; none when it is absent. Throws Error at what cannot be.
LinkChanges read_link_changes(const JsonView& json);

// What `changes` say of a link of this kind and name; of each number, the name counts for more.
LinkChange change_of(const LinkChanges& changes, const std::string& kind, const std::string& name);

// What it changes, by key, each as XML and the command line have it: {"bandwidth", "50GBps"}.
std::vector<std::pair<std::string, std::string>> to_texts(const LinkChange& change);

// Throws Error at the member of "links" that is in neither set, with the nearest of both.
void check_link_changes(const JsonView& json, const std::set<std::string>& kinds, const std::set<std::string>& names);

// The platform with other links, over which a graph finds its routes anew. A link that is "X_UP" and "X_DOWN" in
// SimGrid is also known as "X". Throws Error when no link has a kind or name of `changes`.
Platform with_links(const Platform& platform, const LinkChanges& changes);

}  // namespace foreflow::platform
