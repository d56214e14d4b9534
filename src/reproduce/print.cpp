#include <fmt/core.h>

#include <algorithm>

#include "foreflow/reproduce/reproduce.h"

namespace foreflow::reproduce {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

std::string word(const Json& value) {
  if (value.is_null()) return "-";
  if (value.if_string() != nullptr) return *value.if_string();
  return value.if_double() != nullptr ? fmt::format("{:.5g}", *value.if_double()) : value.dump_compact();
}

std::string percent(const std::optional<double>& share) { return share ? fmt::format("{:+.2f} %", 100 * *share) : ""; }

std::string summary(const Agreement& found) {
  std::string text;
  if (found.mape)
    text += fmt::format("mean error {:.2f} %, worst {:.2f} %", 100 * *found.mape, 100 * found.worst.value_or(0));
  if (found.spearman) text += fmt::format("{}Spearman {:.4f}", text.empty() ? "" : ", ", *found.spearman);
  return text.empty() ? text : "\n" + text + "\n";
}

}  // namespace

Json to_json(const ReproductionDef& reproduction, const Result& result) {
  Json rows = Json::array();
  for (const Row& row : result.rows) {
    Json one;
    one.set("name", row.name).set("published", row.published).set("ours", row.ours);
    one.set("relative_error", or_null(row.relative_error));
    if (const auto* members = row.more.if_object()) {
      for (const auto& [key, value] : *members) one.set(key, value);
    }
    rows.push(std::move(one));
  }
  Json notes = Json::array();
  for (const std::string& note : result.notes) notes.push(note);
  const Agreement found = agreement(result);
  Json json;
  json.set("name", reproduction.name).set("source", reproduction.source).set("rows", std::move(rows));
  json.set("mape", or_null(found.mape)).set("worst", or_null(found.worst)).set("spearman", or_null(found.spearman));
  return json.set("notes", std::move(notes));
}

std::string to_text(const ReproductionDef& reproduction, const Result& result) {
  size_t name = 0, published = 9, ours = 4;
  for (const Row& row : result.rows) {
    name      = std::max(name, row.name.size());
    published = std::max(published, word(row.published).size());
    ours      = std::max(ours, word(row.ours).size());
  }
  std::string text = fmt::format("{}: {}\n{}\n\n", reproduction.name, reproduction.doc, reproduction.source);
  text += fmt::format("{:<{}}  {:>{}}  {:>{}}  {:>10}\n", "", name, "published", published, "ours", ours, "error");
  for (const Row& row : result.rows) {
    text += fmt::format("{:<{}}  {:>{}}  {:>{}}  {:>10}\n", row.name, name, word(row.published), published,
                        word(row.ours), ours, percent(row.relative_error));
  }
  text += summary(agreement(result));
  for (const std::string& note : result.notes) text += "\n" + note + "\n";
  return text;
}

}  // namespace foreflow::reproduce
