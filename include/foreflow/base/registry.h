// The one extension mechanism: an ordered, constant table of plain structs that a `.def` list builds.
// Nothing registers itself: a static registrar in a static library is silently dropped by the linker.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "foreflow/base/error.h"
#include "foreflow/base/suggestion.h"

namespace foreflow {

// `Def` has a member `name` that converts to std::string_view and is unique in the table.
template <class Def>
class Registry {
 public:
  // `kind` is the singular noun for messages ("schedule").
  Registry(std::string kind, std::vector<Def> rows) : Registry(std::move(kind), "", std::move(rows)) {}

  // `list` is the table of `foreflow list` that shows the rows ("schedules"), to which messages point.
  Registry(std::string kind, const std::string& list, std::vector<Def> rows)
      : kind_(std::move(kind)),
        hint_(list.empty() ? "" : " (see: foreflow list " + list + ")"),
        rows_(std::move(rows)) {
    for (const Def& row : rows_) {
      FOREFLOW_CHECK(index_.emplace(row.name, &row).second, "two rows have the name " + std::string(row.name));
    }
  }
  Registry(const Registry&)            = delete;
  Registry& operator=(const Registry&) = delete;

  // Null when there is no such row.
  const Def* find(std::string_view name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : found->second;
  }

  // Throws Error at `where` with a suggestion, and the command that lists the rows, when there is no such row.
  const Def& get(std::string_view name, const std::string& where) const {
    if (const Def* row = find(name)) return *row;
    throw Error(where, "unknown " + kind_ + " \"" + std::string(name) + "\"" + suggestion(name, names()) + hint_);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Def& row : rows_) all.emplace_back(row.name);
    return all;
  }

  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }
  size_t size() const { return rows_.size(); }

 private:
  std::string kind_, hint_;
  std::vector<Def> rows_;
  std::unordered_map<std::string_view, const Def*> index_;  // for look-ups only
};

}  // namespace foreflow
