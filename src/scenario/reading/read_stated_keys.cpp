#include <algorithm>

#include "scenario/read.h"

namespace foreflow::scenario {

bool StatedKeys::has(std::string_view path) const { return std::find(paths.begin(), paths.end(), path) != paths.end(); }

std::vector<std::string> StatedKeys::of(std::string_view member) const {
  std::vector<std::string> keys;
  const std::string prefix = std::string(member) + ".";
  for (const std::string& path : paths) {
    if (path.starts_with(prefix)) keys.push_back(path.substr(prefix.size()));
  }
  return keys;
}

StatedKeys read_stated_keys(const JsonView& root) {
  StatedKeys stated;
  for (const auto& [member, value] : *root.json().if_object()) {
    stated.paths.push_back(member);
    const Json::Object* own = value.if_object();
    if (own == nullptr) continue;
    for (const auto& key : *own) stated.paths.push_back(member + "." + key.first);
  }
  return stated;
}

}  // namespace foreflow::scenario
