#include "cli/tables.h"
#include "foreflow/base/suggestion.h"
#include "foreflow/scenario/schema.h"
#include "foreflow/scenario/strategy_key.h"

namespace foreflow::cli {
namespace {

// How a search treats the key: "always" when it tries every legal value of an absent key.
std::string searched(const scenario::KeySection& section, const KeyDef& key) {
  if (section.path == "placement" && key.name == "order") return "always";
  if (section.path != "strategy") return "";
  switch (scenario::strategy_keys().get(key.name, section.path).search.searched) {
    case scenario::Searched::never: return "lists";
    case scenario::Searched::always: return "always";
    case scenario::Searched::on_demand: return "`any`";
  }
  return "";
}

}  // namespace

std::vector<TableRow> key_rows(const std::string& part) {
  std::vector<TableRow> rows;
  std::vector<std::string> parts;
  for (const scenario::KeySection& section : scenario::key_sections()) {
    if (!section.path.empty()) parts.push_back(section.path);  // the keys of the scenario itself are of no part
    if (!part.empty() && section.path != part) continue;
    for (const KeyDef& key : section.keys) {
      const std::string name = part.empty() ? scenario::path_of(section, key) : key.name;
      rows.push_back({name, key.doc, {key.type.words, key.otherwise, searched(section, key)}});
    }
  }
  if (!rows.empty()) return rows;
  throw Error("--part " + part, "a scenario has no such part" + suggestion(part, parts));
}

}  // namespace foreflow::cli
