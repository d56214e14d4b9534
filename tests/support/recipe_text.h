// Platforms from the words of a scenario's "platform".
#pragma once

#include <string>

#include "foreflow/platform/load.h"

namespace foreflow::test {

inline platform::Recipe recipe(const std::string& json) {
  const Json parsed = parse_json(json, "c.json");
  return platform::read_recipe(JsonView(parsed, "c.json"));
}

inline platform::Platform machine(const std::string& json) { return platform::make(recipe(json)); }

}  // namespace foreflow::test
