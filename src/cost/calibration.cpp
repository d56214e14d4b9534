#include "foreflow/cost/calibration.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "cost/line.h"
#include "cost/nearest_points.h"
#include "foreflow/base/text.h"
#include "foreflow/platform/data_sheet.h"

namespace foreflow::cost {
namespace {

// Returns true if the points of a family have less and more work than the query, by flops and by bytes.
bool is_inside(const Family& family, const Query& query) {
  const auto is_within = [&](auto member, auto value) {
    const auto [least, most] =
        std::minmax_element(family.points.begin(), family.points.end(),
                            [&](const Point& a, const Point& b) { return a.*member < b.*member; });
    return least != family.points.end() && (*least).*member <= value && value <= (*most).*member;
  };
  return is_within(&Point::flops, query.flops) && is_within(&Point::bytes, query.bytes);
}

template <class Comparison>
bool against_all(const Family& family, Comparison comparison) {
  return std::all_of(family.points.begin(), family.points.end(), comparison);
}

// Returns true for a message outside of what was measured, on a side of which the family says nothing.
bool is_unknown_message(const Family& family, const Query& query) {
  if (query.ranks == 1 || family.points.empty()) return false;
  if (against_all(family, [&](const Point& point) { return point.bytes < query.bytes; })) return !grows(family);
  if (against_all(family, [&](const Point& point) { return point.bytes > query.bytes; })) return !shows_latency(family);
  return false;
}

// The time of work outside of a family that shows no rate: the longest for larger work, the shortest for smaller.
Seconds time_outside(const Family& family, const Query& query) {
  const bool is_smaller    = against_all(family, [&](const Point& point) { return has_no_more_work(query, point); });
  const auto [least, most] = std::minmax_element(family.points.begin(), family.points.end(),
                                                 [](const Point& a, const Point& b) { return a.time < b.time; });
  return is_smaller ? least->time : most->time;
}

// Number of the words of a device's kind that a name of a device has: of "A100-SXM4-80GB" all three that
// "NVIDIA A100-SXM4-80GB" has, and two that the model with 40 GB has.
size_t common_words(std::string_view device, const std::string& name) {
  const auto words = split(device, '-');
  return static_cast<size_t>(std::count_if(
      words.begin(), words.end(), [&](const std::string& word) { return name.find(word) != std::string::npos; }));
}

// The families that name the device first, then those that name none.
std::vector<const Family*> families_for(const Calibration& calibration, const Query& query) {
  std::vector<const Family*> found;
  for (const Family& family : calibration.families) {
    const bool same = std::tie(family.op, family.dtype, family.ranks, family.nodes) ==
                      std::tie(query.op, query.dtype, query.ranks, query.nodes);
    if (same && is_of(family, query.device)) found.push_back(&family);
  }
  const auto order = [&](const Family* family) {
    return std::tuple(family->device != query.device, family->device.empty(),
                      -static_cast<int>(common_words(query.device, family->device)));
  };
  std::stable_sort(found.begin(), found.end(), [&](const Family* a, const Family* b) { return order(a) < order(b); });
  // One device names the query's best; another that a driver may call alike is not asked beside it.
  const auto others = std::remove_if(found.begin(), found.end(), [&](const Family* family) {
    return family != found.front() && !family->device.empty();
  });
  found.erase(others, found.end());
  return found;
}

double relative_error(Seconds ours, Seconds measured) { return std::abs(ours / measured - 1); }

}  // namespace

bool is_of(const Family& family, std::string_view device) {
  return family.device.empty() || family.device == device ||
         (!device.empty() && platform::may_be_called(platform::unchanged_kind(device), family.device));
}

std::string name(const Family& family) {
  const std::string op = family.op + " " + family.dtype;
  if (family.ranks == 1) return family.device.empty() ? op : op + " on " + family.device;
  return fmt::format("{} over {}{}", op, family.ranks,
                     family.nodes == 1 ? "" : fmt::format(" on {} nodes", family.nodes));
}

std::vector<int> measured_nodes(const Calibration& calibration, std::string_view op, std::string_view dtype,
                                int ranks) {
  std::vector<int> nodes;
  for (const Family& family : calibration.families) {
    if (family.op == op && family.dtype == dtype && family.ranks == ranks) nodes.push_back(family.nodes);
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

bool grows(const Family& family) {
  constexpr double kMost = 0.5;
  const Line& line       = family.line;
  if (family.points.empty()) return line.per_flop > 0 || line.per_byte > 0;
  if (!have_different_work(family.points)) return false;
  const Seconds longest = on_line(family, family.points.back());
  return longest - line.fixed >= kMost * longest;
}

bool shows_latency(const Family& family) {
  constexpr Bytes kShort{65536};  // 52 us at 10 Gb/s, as long as a step of TCP
  if (family.points.empty()) return true;
  if (grows(family)) return family.line.fixed > Seconds(0);
  return std::any_of(family.points.begin(), family.points.end(),
                     [&](const Point& point) { return point.bytes <= kShort; });
}

namespace {

bool is_flat_for(const Family& family, const Query& query) {
  return !family.points.empty() && !grows(family) && !is_inside(family, query);
}

std::optional<Price> price_by(const Family& family, const Query& query) {
  for (const Point& point : family.points) {
    if (point.signature == query.signature) return Price{point.time, Provenance::table};
  }
  if (is_unknown_message(family, query)) return std::nullopt;
  const auto time = is_inside(family, query) ? interpolated(family, query) : std::nullopt;
  if (time) return Price{*time, Provenance::interpolated};
  const Seconds beyond = is_flat_for(family, query) ? time_outside(family, query) : time_beyond(family, query);
  return Price{std::max(beyond, least_time(family, query)), Provenance::regression};
}

struct FamilyPrice {
  const Family* family = nullptr;  // null: none has a price
  std::optional<Price> price;
};

FamilyPrice find_price(const Calibration& calibration, const Query& query) {
  FamilyPrice best;
  for (const Family* family : families_for(calibration, query)) {
    const auto own = price_by(*family, query);
    if (own && (!best.price || own->provenance < best.price->provenance)) best = {family, own};
  }
  return best;
}

}  // namespace

const Family* flat_family(const Calibration& calibration, const Query& query) {
  const Family* family = find_price(calibration, query).family;
  return family != nullptr && is_flat_for(*family, query) ? family : nullptr;
}

std::optional<Price> price(const Calibration& calibration, const Query& query) {
  return find_price(calibration, query).price;
}

Seconds least_time(const Calibration& calibration, const Query& query) {
  const Family* family = find_price(calibration, query).family;
  return family == nullptr ? Seconds(0) : least_time(*family, query);
}

Calibration fit(std::span<const Measurement> measurements) {
  using Key = std::tuple<std::string, std::string, int, int, std::string>;
  std::map<Key, std::map<std::string, std::vector<const Measurement*>>> grouped;
  for (const Measurement& m : measurements)
    grouped[{m.op, m.dtype, m.ranks, m.nodes, m.device}][m.signature].push_back(&m);
  Calibration calibration;
  for (const auto& [key, signatures] : grouped) {
    Family family;
    std::tie(family.op, family.dtype, family.ranks, family.nodes, family.device) = key;
    for (const auto& [signature, rows] : signatures) {
      const Measurement& first = *rows.front();
      std::vector<Seconds> times;
      for (const Measurement* row : rows) times.push_back(row->time);
      const bool is_message = first.kind == Measurement::Kind::message;
      family.points.push_back(
          {signature, first.flops, is_message ? first.message : first.read + first.written, median(std::move(times))});
    }
    family.line = fit_line(family.points);
    sort_along_line(family);
    calibration.families.push_back(std::move(family));
  }
  return calibration;
}

std::vector<FamilyError> assess(const Calibration& calibration, size_t folds) {
  std::vector<FamilyError> errors;
  for (const Family& family : calibration.families) {
    FamilyError error{name(family), family.points.size()};
    for (const Point& point : family.points) error.line_error += relative_error(on_line(family, point), point.time);
    for (size_t fold = 0; fold < folds; ++fold) {
      Family rest{family.op, family.dtype, family.ranks, {}, {}, family.nodes, family.device};
      for (size_t i = 0; i < family.points.size(); ++i) {
        if (i % folds != fold) rest.points.push_back(family.points[i]);
      }
      if (rest.points.empty()) continue;
      rest.line = fit_line(rest.points);
      sort_along_line(rest);
      const Calibration without{{rest}};
      for (size_t i = fold; i < family.points.size(); i += folds) {
        const Point& point = family.points[i];
        const auto ours    = price(without, {family.op, family.dtype, point.signature, family.ranks, point.flops,
                                             point.bytes, family.nodes, family.device});
        if (!ours) continue;
        ++error.held_out;
        error.held_out_error += relative_error(ours->time, point.time);
      }
    }
    error.line_error /= static_cast<double>(error.points);
    if (error.held_out > 0) error.held_out_error /= static_cast<double>(error.held_out);
    errors.push_back(std::move(error));
  }
  return errors;
}

FamilyError total(std::span<const FamilyError> errors) {
  FamilyError all{"all"};
  for (const FamilyError& error : errors) {
    all.points += error.points;
    all.held_out += error.held_out;
    all.line_error += error.line_error * static_cast<double>(error.points);
    all.held_out_error += error.held_out_error * static_cast<double>(error.held_out);
  }
  if (all.points > 0) all.line_error /= static_cast<double>(all.points);
  if (all.held_out > 0) all.held_out_error /= static_cast<double>(all.held_out);
  return all;
}

}  // namespace foreflow::cost
