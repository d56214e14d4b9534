#include "search/columns.h"

namespace foreflow::search {
namespace {

// Without quotes where it is a word.
std::string plain(const Json& value) {
  return value.if_string() != nullptr ? *value.if_string() : value.dump_compact();
}

}  // namespace

Said said(const Json& strategy, const Json& placement) {
  Said all;
  for (const auto& [key, value] : *strategy.if_object()) all.emplace(key, plain(value));
  if (placement.if_object() == nullptr) {
    if (!placement.is_null()) all.emplace("placement", plain(placement));
    return all;
  }
  for (const auto& [key, value] : *placement.if_object()) all.emplace("placement." + key, plain(value));
  return all;
}

}  // namespace foreflow::search
