#include "search/space/moves.h"

#include <algorithm>
#include <array>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "foreflow/schedule/schedule.h"
#include "search/space/axes.h"

namespace foreflow::search {
namespace {

constexpr std::string_view kShares = "stage_shares";

// The keys that say where stages end.
constexpr std::array<std::string_view, 5> kPartitionKeys = {kShares, "stage_partition", "count_as_layers",
                                                            "first_stage_layers", "last_stage_layers"};

// The number of stages of a pipeline, of which a device may have several: by its schedule and virtual_stages.
int64_t stages_of(const Json& point) {
  constexpr int64_t kUsualChunks   = 2;
  const int64_t devices            = whole_or(point, "pp", 1);
  const schedule::ScheduleDef* row = schedule::schedules().find(scenario::word_or(point, "schedule", "1f1b"));
  if (row == nullptr || row->mapping == schedule::StageMapping::mirrored) return devices;
  if (row->chunks != schedule::kAnyChunks) return devices * row->chunks;
  return devices * whole_or(point, "virtual_stages", kUsualChunks);
}

// A partition is no dimension: it lasts as long as the number of stages, and as each device has one.
Json with_shares_of(Json point, const Json& old) {
  const Json* shares = old.find(kShares);
  const bool stated  = point.find(kShares) != nullptr;
  const bool fits    = stages_of(point) == whole_or(old, "pp", 1) && stages_of(point) == whole_or(point, "pp", 1);
  if (shares != nullptr && !stated && fits) point.set(kShares, *shares);
  return point;
}

std::vector<int64_t> shares_at(const Space& space, const Json& point) {
  const auto stages = static_cast<size_t>(whole_or(point, "pp", 1));
  std::vector<int64_t> shares;
  if (const Json* text = point.find(kShares)) {
    for (const std::string& word : split(*text->if_string(), ':')) {
      const auto share = parse_number<int64_t>(word);
      FOREFLOW_CHECK(share, "a search that moves shares wrote all of them, as text_of does");
      shares.push_back(*share);
    }
    return shares;
  }
  // A layer where a stage has several, else the half or quarter of one.
  constexpr size_t kFewest = 4;
  size_t units             = space.layers() > 0 ? static_cast<size_t>(space.layers()) : stages;
  while (units < kFewest * stages) units *= 2;
  for (size_t s = 0; s < stages; ++s)
    shares.push_back(static_cast<int64_t>(units / stages + (s < units % stages ? 1 : 0)));
  return shares;
}

std::string text_of(const std::vector<int64_t>& shares) {
  std::string text;
  for (const int64_t share : shares) text += (text.empty() ? "" : ":") + std::to_string(share);
  return text;
}

}  // namespace

Json completed(const Space& space, const Region& region, const Json& wanted, size_t decided) {
  Json point = Json::object();
  for (size_t d = 0; d < region.size(); ++d) {
    const std::vector<Json> choices = space.choices(region, d, point);
    const auto own   = std::find_if(choices.begin(), choices.end(), [&](const Json& c) { return has_all(wanted, c); });
    const bool keeps = d < decided && own != choices.end();
    point            = with(point, keeps ? *own : space.assumed(region, d, point));
  }
  return point;
}

Json changed(const Space& space, const Region& region, const Json& point, const Json& choice) {
  return with_shares_of(completed(space, region, with(point, choice), region.size()), point);
}

Alternatives alternatives(const Space& space, const Region& region, size_t d, const Json& point) {
  Json before = Json::object();  // rules look at the dimensions before only
  for (size_t i = 0; i < d; ++i) {
    for (const Json& choice : space.choices(region, i, before)) {
      if (!has_all(point, choice)) continue;
      before = with(before, choice);
      break;
    }
  }
  Alternatives all{space.choices(region, d, before), 0};
  while (all.own < all.choices.size() && !has_all(point, all.choices[all.own])) ++all.own;
  return all;
}

std::vector<Json> partitions(const Space& space, const Region& region, const Json& point) {
  std::vector<Json> all;
  const bool given      = std::any_of(region.begin(), region.end(), [](const Dimension& dimension) {
    return std::find(kPartitionKeys.begin(), kPartitionKeys.end(), dimension.key) != kPartitionKeys.end();
  });
  const int64_t devices = whole_or(point, "pp", 1);
  if (given || devices == 1 || stages_of(point) != devices) return all;
  const std::vector<int64_t> shares = shares_at(space, point);
  for (size_t from = 0; from < shares.size(); ++from) {
    for (const size_t to : std::array{from - 1, from + 1}) {  // below 0 is a very large number
      if (to >= shares.size() || shares[from] < 2) continue;
      std::vector<int64_t> moved = shares;
      --moved[from];
      ++moved[to];
      all.push_back(with(point, Json::object().set(kShares, text_of(moved))));
    }
  }
  return all;
}

bool contains(const Space& space, const Region& region, const Json& point) {
  Json before = Json::object();
  for (size_t d = 0; d < region.size(); ++d) {
    const std::vector<Json> choices = space.choices(region, d, before);
    const auto own = std::find_if(choices.begin(), choices.end(), [&](const Json& c) { return has_all(point, c); });
    if (own != choices.end()) before = with(before, *own);
    if (own == choices.end() && !choices.empty()) return false;
  }
  return true;
}

std::vector<Json> neighbours(const Space& space, const Region& region, const Json& point) {
  std::vector<Json> all = partitions(space, region, point);
  for (size_t d = 0; d < region.size(); ++d) {
    const Alternatives others = alternatives(space, region, d, point);
    for (size_t i = 0; i < others.choices.size(); ++i) {
      if (i != others.own) all.push_back(changed(space, region, point, others.choices[i]));
    }
  }
  return all;
}

}  // namespace foreflow::search
