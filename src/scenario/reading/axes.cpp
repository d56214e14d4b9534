#include "foreflow/scenario/axes.h"

#include <algorithm>
#include <set>

#include "foreflow/scenario/schema.h"
#include "scenario/read.h"
#include "scenario/reading/keys.h"

namespace foreflow::scenario {
namespace {

constexpr size_t kMostPoints = 1'000'000;

using KeyPath = std::vector<std::string>;

std::string joined(const KeyPath& keys) {
  std::string path;
  for (const std::string& key : keys) path += (path.empty() || key.starts_with('[') ? "" : ".") + key;
  return path;
}

KeyPath below(const KeyPath& keys, const std::string& key) {
  KeyPath longer = keys;
  longer.push_back(key);
  return longer;
}

// The children of `value`, each with its key or "[number]", in the order of the text.
std::vector<std::pair<std::string, const Json*>> parts(const Json& value) {
  std::vector<std::pair<std::string, const Json*>> all;
  if (const Json::Object* members = value.if_object()) {
    for (const auto& [key, member] : *members) all.emplace_back(key, &member);
  } else if (const Json::Array* items = value.if_array()) {
    for (size_t i = 0; i < items->size(); ++i) all.emplace_back("[" + std::to_string(i) + "]", &(*items)[i]);
  }
  return all;
}

Json* part(Json& value, const std::string& key) {
  if (value.if_array() == nullptr) return &value.member(key);
  return const_cast<Json*>(&(*value.if_array())[std::stoul(key.substr(1))]);
}

void place(Json& root, const KeyPath& keys, const Json& value) {
  Json* at = &root;
  for (const std::string& key : keys) at = part(*at, key);
  *at = value;
}

// "jobs[2].placement.devices", or "jobs.placement.devices" for all jobs, without its job.
std::string_view within_job(std::string_view path) {
  constexpr std::string_view kJobs = "jobs";
  if (!path.starts_with(kJobs)) return path;
  const size_t dot = path.find('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

// "disturbances.links[].changes" for "disturbances.links[3].changes".
std::string without_numbers(std::string_view path) {
  std::string all;
  bool inside = false;
  for (const char letter : path) {
    if (letter == ']') inside = false;
    if (!inside) all += letter;
    if (letter == '[') inside = true;
  }
  return all;
}

// Returns true if one value of the key is a list.
bool takes_list(std::string_view path) {
  static const std::set<std::string> lists = [] {
    std::set<std::string> all;
    for (const KeySection& section : key_sections()) {
      for (const KeyDef& key : section.keys) {
        if (key.type.is_list) all.insert(path_of(section, key));
      }
    }
    return all;
  }();
  const auto stands_here = [path](std::string_view pattern) { return stands_for(pattern, path); };
  return lists.contains(without_numbers(within_job(path))) ||
         std::any_of(kListsInMaps.begin(), kListsInMaps.end(), stands_here);
}

std::vector<Axis> axes_below(const KeyPath& keys, const Json& value, const std::string& file);

// All combinations of items of the lists inside one value of the axis at `keys`; the value itself when it has no lists.
std::vector<Json> choices_within(const KeyPath& keys, const Json& value, const std::string& file) {
  std::vector<Axis> inner = axes_below(keys, value, file);
  for (Axis& axis : inner) axis.keys.erase(axis.keys.begin(), axis.keys.begin() + static_cast<ptrdiff_t>(keys.size()));
  std::vector<Json> values;
  const size_t count = count_points(inner, file);
  for (size_t i = 0; i < count; ++i) values.push_back(with_choice(value, inner, choice_of(inner, i)));
  return values;
}

std::vector<Json> values_of(const KeyPath& keys, const Json& list, const std::string& file) {
  const std::string where = file + ": $." + joined(keys);
  if (list.if_array()->empty()) throw Error(where, "is an axis without values; give one or more");
  std::vector<Json> values;
  std::set<std::string> seen;
  for (const Json& value : *list.if_array()) {
    for (Json& choice : choices_within(keys, value, file)) {
      const std::string text = choice.dump_compact();
      if (!seen.insert(text).second)
        throw Error(where, "is a list of values to try, and holds " + text + " twice; give each once");
      values.push_back(std::move(choice));
    }
  }
  return values;
}

// Returns true for the key of a table and for what is inside of it.
bool is_in_table(std::string_view path) {
  path = within_job(path);
  return std::any_of(kTables.begin(), kTables.end(), [&](std::string_view table) {
    return path.starts_with(table) && (path.size() == table.size() || path[table.size()] == '[');
  });
}

std::vector<Axis> axes_below(const KeyPath& keys, const Json& value, const std::string& file) {
  std::vector<Axis> all;
  if (is_in_table(joined(keys))) return all;
  for (const auto& [key, inner] : parts(value)) {
    const KeyPath here = below(keys, key);
    if (is_axis(joined(here), *inner)) {
      all.push_back({here, values_of(here, *inner, file)});
      continue;
    }
    for (Axis& axis : axes_below(here, *inner, file)) all.push_back(std::move(axis));
  }
  return all;
}

void collect_files(const KeyPath& keys, const Json& value, std::set<std::string>& files) {
  if (const std::string* text = value.if_string()) {
    for (const FileKey& key : kFiles) {
      if (stands_for(key.path, joined(keys)) && text->ends_with(key.ending)) files.insert(*text);
    }
  }
  const bool list = value.if_array() != nullptr;  // an axis: its values stand for it
  for (const auto& [key, inner] : parts(value)) collect_files(list ? keys : below(keys, key), *inner, files);
}

}  // namespace

bool stands_for(std::string_view pattern, std::string_view path) {
  path = within_job(path);
  if (!pattern.ends_with('*')) return pattern == path;
  const std::string_view stem = pattern.substr(0, pattern.size() - 1);
  return path.size() > stem.size() && path.starts_with(stem);
}

std::string Axis::path() const { return joined(keys); }

bool is_axis(std::string_view path, const Json& value) {
  const Json::Array* items = value.if_array();
  if (items == nullptr) return false;
  const auto is_list = [](const Json& item) { return item.if_array() != nullptr; };
  if (!takes_list(path)) return true;
  return !items->empty() && std::all_of(items->begin(), items->end(), is_list);
}

std::vector<Axis> axes(const Json& source, const std::string& file) { return axes_below({}, source, file); }

size_t count_points(const std::vector<Axis>& axes, const std::string& file) {
  size_t count = 1;
  for (const Axis& axis : axes) {
    if (axis.values.size() > kMostPoints / count) {
      throw Error(file, "the product of its axes is more than " + std::to_string(kMostPoints) +
                            " points; leave out values, or sweep the axes one after another");
    }
    count *= axis.values.size();
  }
  return count;
}

std::vector<size_t> choice_of(const std::vector<Axis>& axes, size_t number) {
  std::vector<size_t> choice(axes.size());
  for (size_t a = axes.size(); a-- > 0;) {
    choice[a] = number % axes[a].values.size();
    number /= axes[a].values.size();
  }
  return choice;
}

Json with_choice(const Json& source, const std::vector<Axis>& axes, const std::vector<size_t>& choice) {
  Json point = source;
  for (size_t a = 0; a < axes.size(); ++a) place(point, axes[a].keys, axes[a].values[choice[a]]);
  return point;
}

std::map<std::string, std::string> referenced_files(const Json& source, const std::string& file) {
  std::set<std::string> written;
  collect_files({}, source, written);
  std::map<std::string, std::string> files;
  for (const std::string& path : written) files.emplace(path, beside(file, path));
  return files;
}

std::vector<int64_t> divisors(int64_t number) {
  std::vector<int64_t> low, high;
  for (int64_t i = 1; i * i <= number; ++i) {
    if (number % i != 0) continue;
    low.push_back(i);
    if (i != number / i) high.push_back(number / i);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

}  // namespace foreflow::scenario
