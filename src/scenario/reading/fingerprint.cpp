#include "foreflow/scenario/fingerprint.h"

#include <algorithm>

#include "foreflow/base/digest.h"
#include "foreflow/base/text.h"
#include "foreflow/scenario/axes.h"

namespace foreflow::scenario {

Json sorted(const Json& value) {
  if (const Json::Array* items = value.if_array()) {
    Json::Array all;
    for (const Json& item : *items) all.push_back(sorted(item));
    return all;
  }
  if (value.if_object() == nullptr) return value;
  Json::Object members;
  for (const auto& [key, member] : *value.if_object()) members.emplace_back(key, sorted(member));
  std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return members;
}

std::string fingerprint(const Json& source, const std::string& file) {
  Json files = Json::object();
  for (const auto& [written, path] : referenced_files(source, file)) files.set(written, sha256(read_file(path)));
  Json whole;
  whole.set("files", std::move(files)).set("scenario", sorted(source));
  return sha256(whole.dump_compact());
}

}  // namespace foreflow::scenario
