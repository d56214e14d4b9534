// Changes of link properties: values that replace those of a recipe or a platform file, as sweeps use them.
//
//   "links": {"nic": {"bandwidth": "50GBps", "efficiency": 0.9}, "node0-nic1": {"bandwidth": "5GBps", "latency":
//   "20us"}}
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/base/key.h"
#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// The properties of links that can be changed, which are the keys of one member of "links".
// src/platform/link_property.h says how each is written.
const Keys& link_keys();

// The properties that a change states; the others stay.
struct LinkNumbers {
  std::set<std::string> stated = {};  // names in link_keys()
  Link values                  = {};  // of the stated ones, in the ranges of Link; its other members mean nothing
  bool operator==(const LinkNumbers&) const = default;
};

// Changes by link kind ("nic": all links of the kind) or by link name (both directions). A name takes precedence over a
// kind.
using LinkChanges = std::map<std::string, LinkNumbers>;

// Reads the member "links" of a platform; empty when absent. Throws Error at an unknown key or a value out of range.
LinkChanges read_link_changes(const JsonView& json);

// The changes of a link with this kind and name. Where both change a property, the name takes precedence.
LinkNumbers numbers_of(const LinkChanges& changes, const std::string& kind, const std::string& name);

// Throws Error at a member of "links" that is neither a kind nor a name, suggesting the nearest of both.
void check_link_changes(const JsonView& json, const std::set<std::string>& kinds, const std::set<std::string>& names);

// The platform with changed links; a graph computes its routes anew. The name "X" stands for the two SimGrid links
// "X_UP" and "X_DOWN". Throws Error when `changes` has a kind or name that no link has.
Platform with_links(const Platform& platform, const LinkChanges& changes);

}  // namespace foreflow::platform
