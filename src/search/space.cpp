#include <algorithm>

#include "foreflow/search/search.h"

namespace foreflow::search {
namespace {

using Choices = std::vector<Json>;

Choices choices_of(const JsonView& strategy, std::string_view key) {
  const Json& value = strategy.at(key).json();
  if (value.if_array() == nullptr) return {value};
  if (value.if_array()->empty()) strategy.at(key).fail("is an axis without values; give one or more");
  return *value.if_array();
}

// Every point so far with every choice of `key`.
std::vector<Json> crossed(const std::vector<Json>& points, std::string_view key, const Choices& choices) {
  std::vector<Json> all;
  for (const Json& point : points) {
    for (const Json& choice : choices) all.emplace_back(point).set(key, choice);
  }
  return all;
}

Choices all_divisors(int64_t number) {
  Choices choices;
  for (const int64_t divisor : scenario::divisors(number)) choices.emplace_back(divisor);
  return choices;
}

int64_t whole_or(const Json& point, std::string_view key, int64_t fallback) {
  const Json* value = point.find(key);
  return value != nullptr && value->if_int() != nullptr ? *value->if_int() : fallback;
}

bool uses_all(const Json& point, int64_t devices) {
  int64_t left = devices;
  for (const char* key : {"dp", "tp", "pp"}) {
    const int64_t degree = whole_or(point, key, 1);
    if (degree < 1 || left % degree != 0) return false;
    left /= degree;
  }
  return left == 1;
}

Choices microbatch_choices(const Json& point) {
  if (whole_or(point, "pp", 1) <= 1) return {Json(1)};
  const int64_t replica = whole_or(point, "global_batch", 1) / std::max<int64_t>(whole_or(point, "dp", 1), 1);
  Choices choices       = {Json(1)};
  for (int64_t k = 2; k <= replica; k *= 2) choices.emplace_back(k);
  return choices;
}

}  // namespace

std::vector<Json> space(const Json& source, const std::string& file, int64_t devices) {
  Json holder;
  const Json* given = source.find("strategy");
  holder.set("strategy", given != nullptr ? *given : Json::object());
  const JsonView strategy = JsonView(holder, file).at("strategy");
  strategy.allow_only(scenario::strategy_keys());

  std::vector<Json> points = {Json::object()};
  bool derived             = false;
  for (const char* key : {"dp", "tp", "pp"}) {
    derived = derived || !strategy.has(key);
    points  = crossed(points, key, strategy.has(key) ? choices_of(strategy, key) : all_divisors(devices));
  }
  if (derived) std::erase_if(points, [&](const Json& point) { return !uses_all(point, devices); });
  for (const auto& [key, value] : strategy.members()) {
    if (key != "dp" && key != "tp" && key != "pp") points = crossed(points, key, choices_of(strategy, key));
  }
  if (strategy.has("microbatches") || strategy.has("microbatch_size")) return points;
  std::vector<Json> all;
  for (const Json& point : points) {
    for (Json& finer : crossed({point}, "microbatches", microbatch_choices(point))) all.push_back(std::move(finer));
  }
  return all;
}

}  // namespace foreflow::search
