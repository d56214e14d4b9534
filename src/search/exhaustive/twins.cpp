#include "search/exhaustive/twins.h"

namespace foreflow::search {

void Twins::add(const Json& twin, const Json& plain, const std::string& key) {
  plain_.emplace(twin.dump_compact(), Plain{plain.dump_compact(), key, *twin.find(key)});
}

std::vector<std::pair<std::string, Json>> Twins::all() const {
  std::vector<std::pair<std::string, Json>> all;
  for (auto place = plain_.begin(); place != plain_.end(); ++place) {
    Json differs = Json::object();
    auto at      = place;
    for (;;) {
      differs.set(at->second.key, at->second.value);
      const auto next = plain_.find(at->second.text);
      if (next == plain_.end()) break;
      at = next;
    }
    all.emplace_back(at->second.text, std::move(differs));
  }
  return all;
}

}  // namespace foreflow::search
