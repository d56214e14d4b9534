#include <algorithm>

#include "foreflow/base/text.h"
#include "scenario/keys/sections.h"
#include "scenario/read.h"

namespace foreflow::scenario {

std::string read_allocator(const JsonView& json) {
  json.allow_only(names_of(memory_keys()));
  static const std::vector<std::string> kKnown = {"exact", "caching"};
  const std::string allocator                  = json.string_or("allocator", kKnown.front());
  if (std::find(kKnown.begin(), kKnown.end(), allocator) == kKnown.end())
    json.at("allocator").fail("unknown allocator \"" + allocator + "\"; use " + list_or(kKnown));
  return allocator;
}

}  // namespace foreflow::scenario
