#include <algorithm>

#include "foreflow/scenario/schema.h"

namespace foreflow::scenario {
namespace {

bool has_key(const KeySection& section, const std::string& name) {
  return std::any_of(section.keys.begin(), section.keys.end(), [&](const KeyDef& key) { return key.name == name; });
}

// The scenario itself, or one of its parts; not a part of a part.
bool is_part(const KeySection& section) { return section.path.find_first_of(".[") == std::string::npos; }

std::string full_name(const KeySection& section, const std::string& name) {
  return section.path.empty() ? "the top-level key \"" + name + "\"" : "\"" + section.path + "." + name + "\"";
}

void check(const KeySection& own, const JsonView& part) {
  if (part.json().if_object() == nullptr) return;
  for (const auto& [name, value] : part.members()) {
    if (has_key(own, name)) continue;
    const auto& all  = key_sections();
    const auto other = std::find_if(all.begin(), all.end(), [&, &key = name](const KeySection& section) {
      return is_part(section) && has_key(section, key);
    });
    if (other != all.end()) value.fail("unknown key \"" + name + "\"; did you mean " + full_name(*other, name) + "?");
  }
}

}  // namespace

void refuse_misplaced_keys(const JsonView& root) {
  for (const KeySection& section : key_sections()) {
    if (!is_part(section)) continue;
    if (section.path.empty()) {
      check(section, root);
    } else if (root.has(section.path)) {
      check(section, root.at(section.path));
    }
  }
}

}  // namespace foreflow::scenario
