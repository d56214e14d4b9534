// A kind of disturbance that is a list of equal values.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foreflow/simulate/disturbance_kind.h"

namespace foreflow::simulate {

// A value of an input, for messages: "disturbances.links[0]", or "a.json: $.disturbances.links[0]".
class Location {
 public:
  explicit Location(std::string text) : text_(std::move(text)) {}

  Location item(std::string_view list, size_t number) const {
    return Location(fmt::format("{}.{}[{}]", text_, list, number));
  }
  // Throws Error at the key of the value unless `right`.
  void require(bool right, std::string_view key, std::string_view what) const {
    if (!right) throw Error(fmt::format("{}.{}", text_, key), std::string(what));
  }
  // The same at the value itself.
  void require(bool right, std::string_view what) const {
    if (!right) throw Error(text_, std::string(what));
  }

 private:
  std::string text_;
};

// A member that is the number of a device or a link, and the key that names it.
template <typename T>
struct Reference {
  std::string_view key;
  Component component;
  int T::*member;
  std::string_view once = {};  // what is wrong when two values name the same; empty: they may
};

template <typename T>
struct ListKind {
  std::vector<T> Disturbances::*list;
  Keys keys;                          // of one value
  std::vector<std::string> required;  // of these keys
  std::vector<Reference<T>> references;
  // Reads the other keys.
  T (*read)(const JsonView& item);
  // Throws Error at what is wrong on any platform.
  void (*check)(const T& value, const Location& where);
  // The same for what is wrong on this one, whose devices and links are known to be there; null: nothing is.
  void (*check_on)(const platform::Platform& platform, const T& value, const Location& where) = nullptr;
  // The same for what is wrong with all values together; null: nothing is. `where` is the list.
  void (*check_all)(const std::vector<T>& values, const Location& where) = nullptr;
};

inline ValueType list_of_objects(const Keys& keys, const std::vector<std::string>& required) {
  return types::list_of(types::object_of(keys, "an object", required), "a list of objects");
}

inline Seconds seconds_or(const JsonView& json, std::string_view key, Seconds fallback) {
  return json.has(key) ? json.at(key).as_seconds() : fallback;
}

// Numbers that may be named once, by their keys.
using NamedOnce = std::set<std::pair<std::string_view, int>>;

template <typename T>
void check_value(const ListKind<T>& kind, const T& value, NamedOnce& seen, const Location& where) {
  kind.check(value, where);
  for (const Reference<T>& reference : kind.references) {
    if (reference.once.empty()) continue;
    where.require(seen.emplace(reference.key, value.*reference.member).second, reference.key, reference.once);
  }
}

template <typename T>
void check_numbers(const ListKind<T>& kind, const platform::Platform& platform, const T& value, const Location& where) {
  for (const Reference<T>& reference : kind.references) {
    const size_t size = reference.component == Component::device ? platform.devices().size() : platform.links().size();
    const int number  = value.*reference.member;
    where.require(number >= 0 && static_cast<size_t>(number) < size, reference.key,
                  fmt::format("{} is none of the {} of the platform; count from 0", number, size));
  }
}

template <typename T>
T read_value(const ListKind<T>& kind, const JsonView& item, ComponentNames& names) {
  item.allow_only(names_of(kind.keys));
  std::vector<int> indices;
  for (const Reference<T>& reference : kind.references)
    indices.push_back(names.index_of(reference.component, item.at(reference.key)));
  T value = kind.read(item);
  for (size_t i = 0; i < indices.size(); ++i) value.*kind.references[i].member = indices[i];
  return value;
}

// `row` with all that follows from `kind`.
template <typename T>
DisturbanceDef row_of(const ListKind<T>& kind, DisturbanceDef row) {
  row.type = list_of_objects(kind.keys, kind.required);
  row.objects.insert(row.objects.begin(), {fmt::format("{}[]", row.name), kind.keys});
  row.read = [kind](const JsonView& value, ComponentNames& names, Disturbances& disturbances) {
    NamedOnce seen;
    for (const JsonView& item : value.items()) {
      (disturbances.*kind.list).push_back(read_value(kind, item, names));
      check_value(kind, (disturbances.*kind.list).back(), seen, Location(item.where()));
    }
    if (kind.check_all != nullptr) kind.check_all(disturbances.*kind.list, Location(value.where()));
  };
  row.renumber = [kind](const ComponentNumbers& numbers, Disturbances& disturbances) {
    for (T& value : disturbances.*kind.list) {
      for (const Reference<T>& reference : kind.references)
        value.*reference.member = numbers.of(reference.component, value.*reference.member);
    }
  };
  row.is_given = [list = kind.list](const Disturbances& disturbances) { return !(disturbances.*list).empty(); };
  row.check    = [kind, name = row.name](const Disturbances& disturbances, const platform::Platform& platform) {
    NamedOnce seen;
    const std::vector<T>& values = disturbances.*kind.list;
    for (size_t i = 0; i < values.size(); ++i) {
      const Location where = Location("disturbances").item(name, i);
      check_numbers(kind, platform, values[i], where);
      check_value(kind, values[i], seen, where);
      if (kind.check_on != nullptr) kind.check_on(platform, values[i], where);
    }
    if (kind.check_all != nullptr) kind.check_all(values, Location(fmt::format("disturbances.{}", name)));
  };
  return row;
}

}  // namespace foreflow::simulate
