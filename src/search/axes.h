// What a search may vary, one row a key: which values are legal, given the values of the rows above. A new key of the
// strategy joins the search with one row.
#pragma once

#include <string_view>
#include <vector>

#include "foreflow/base/json.h"

namespace foreflow::search {

// What is the same for every point of a space.
struct Facts {
  int64_t devices = 1, nodes = 1;  // of the platform
  bool training    = false;
  bool transformer = false;  // a family with attention
  bool experts     = false;  // a family with a mixture of experts
  // As the workload states them; 0: it does not.
  int64_t layers       = 0;
  int64_t expert_count = 0;  // of a layer
  int64_t sequence     = 0;
  int64_t routing      = 1;  // groups that each sample is routed in
};

enum class Searched : uint8_t {
  always,    // where the scenario leaves the key out
  on_demand  // where the scenario says "any"
};

struct AxisDef {
  std::string_view key;  // of the strategy; "placement.order": of the placement
  Searched searched;
  // The legal values of the key at `point`, an object of the keys that are decided, the usual value first. None: the
  // key means nothing there.
  std::vector<Json> (*legal)(const Facts& facts, const Json& point);
  // Which value a search that decides key by key assumes until it comes to this one; null: the first.
  Json (*assumed)(const Facts& facts, const Json& point) = nullptr;
};

// In the order in which they are decided. Keys that this version refuses are left out.
const std::vector<AxisDef>& axis_table();

// Which numbers of ranks may share a sequence.
std::vector<Json> context_ways(const Facts& facts);

// The whole number that `point` has at `key`.
int64_t whole_or(const Json& point, std::string_view key, int64_t fallback);
// The word that `point` has at `key`.
std::string_view word_or(const Json& point, std::string_view key, std::string_view fallback);

}  // namespace foreflow::search
