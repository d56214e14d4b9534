// Points of a search that do the same as another one, which is predicted in their place.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "foreflow/base/json.h"

namespace foreflow::search {

class Twins {
 public:
  // `twin` differs from `plain` in the value of `key` only, which has no effect.
  void add(const Json& twin, const Json& plain, const std::string& key);

  // For each twin the text of the point that is predicted, which is no twin itself, and the values in which the twin
  // differs from it.
  std::vector<std::pair<std::string, Json>> all() const;

 private:
  struct Plain {
    std::string text, key;
    Json value;  // of the twin
  };
  std::map<std::string, Plain> plain_;  // by the text of the twin
};

}  // namespace foreflow::search
