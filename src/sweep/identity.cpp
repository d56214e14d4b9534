#include "sweep/identity.h"

#include <algorithm>

#include "foreflow/base/digest.h"
#include "foreflow/base/text.h"

namespace foreflow::sweep {
namespace {

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

}  // namespace

Identity identity_of(const Json& source, const std::string& file, const std::string& version) {
  Json files = Json::object();
  for (const auto& [written, path] : scenario::referenced_files(source, file))
    files.set(written, sha256(read_file(path)));
  Json whole;
  whole.set("files", std::move(files)).set("scenario", sorted(source));
  return {version, sha256(whole.dump_compact()), source.dump_compact()};
}

std::string point_name(const std::vector<scenario::Axis>& axes, const std::vector<size_t>& choice) {
  Json::Object values;
  for (size_t a = 0; a < axes.size(); ++a) values.emplace_back(axes[a].path(), sorted(axes[a].values[choice[a]]));
  return sorted(values).dump_compact();
}

}  // namespace foreflow::sweep
