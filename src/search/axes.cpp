#include "search/axes.h"

#include <algorithm>
#include <set>
#include <string>

#include "foreflow/scenario/scenario.h"
#include "foreflow/transform/spread.h"

namespace foreflow::search {
namespace {

using Values = std::vector<Json>;

const Values kOff   = {};
const Values kYesNo = {Json(false), Json(true)};

bool pipelined(const Json& point) { return whole_or(point, "pp", 1) > 1; }

// Samples of one replica.
int64_t replica(const Json& point) {
  return whole_or(point, "global_batch", 1) / std::max<int64_t>(whole_or(point, "dp", 1), 1);
}

Values microbatches(const Facts&, const Json& point) {
  Values values;
  for (const int64_t divisor : scenario::divisors(std::max<int64_t>(replica(point), 1))) values.emplace_back(divisor);
  return values;
}

// Four microbatches a stage keep the bubble below a quarter.
Json some_microbatches(const Facts& facts, const Json& point) {
  const int64_t wanted = pipelined(point) ? 4 * whole_or(point, "pp", 1) : 1;
  const Values legal   = microbatches(facts, point);
  return *std::min_element(legal.begin(), legal.end(), [wanted](const Json& a, const Json& b) {
    return std::abs(*a.if_int() - wanted) < std::abs(*b.if_int() - wanted);
  });
}

// Inference knows no backward, so its schedules are all alike.
Values schedules(const Facts& facts, const Json& point) {
  if (!facts.training || !pipelined(point)) return kOff;
  Values values = {Json("1f1b")};
  for (const schedule::ScheduleDef& row : schedule::schedules()) {
    if (row.name != "1f1b" && row.trains) values.emplace_back(row.name);
  }
  return values;
}

Values virtual_stages(const Facts& facts, const Json& point) {
  const schedule::ScheduleDef* schedule = schedule::schedules().find(word_or(point, "schedule", "1f1b"));
  if (schedule == nullptr || schedule->chunks != schedule::kAnyChunks || !pipelined(point)) return kOff;
  Values values = {Json(int64_t{2})};
  for (int64_t chunks = 4; chunks * whole_or(point, "pp", 1) <= facts.layers; chunks *= 2) values.emplace_back(chunks);
  return values;
}

Values recompute(const Facts& facts, const Json&) {
  if (!facts.training) return kOff;
  if (!facts.transformer) return {Json("none"), Json("full")};
  return {Json("none"), Json("selective"), Json("full")};
}

// How many replicas share experts: they are no copies of each other.
int64_t sharing(const Json& point) {
  return transform::replicas_in_group(whole_or(point, "cp", 1), whole_or(point, "ep", 1));
}

bool has_copies(const Facts& facts, const Json& point) {
  return facts.training && whole_or(point, "dp", 1) > sharing(point);
}

Values zero(const Facts& facts, const Json& point) {
  if (!has_copies(facts, point)) return kOff;
  return {Json(int64_t{0}), Json(int64_t{1}), Json(int64_t{2}), Json(int64_t{3})};
}

Values sequence_parallel(const Facts& facts, const Json& point) {
  return facts.transformer && whole_or(point, "tp", 1) > 1 ? kYesNo : kOff;
}

Values vocabulary_parallel(const Facts& facts, const Json& point) { return sequence_parallel(facts, point); }

Values expert_parallel(const Facts& facts, const Json& point) {
  if (!facts.experts) return kOff;
  const int64_t replicas = whole_or(point, "dp", 1);
  Values values;
  for (const int64_t ways : scenario::divisors(replicas * whole_or(point, "cp", 1))) {
    const bool fits = facts.expert_count % ways == 0 && replicas % sharing(Json(point).set("ep", ways)) == 0;
    if (fits) values.emplace_back(ways);
  }
  return values;
}

Values overlap_gradients(const Facts& facts, const Json& point) { return has_copies(facts, point) ? kYesNo : kOff; }

Values overlap_tensor(const Facts&, const Json& point) {
  if (whole_or(point, "tp", 1) == 1) return kOff;
  return {Json(int64_t{1}), Json(int64_t{2}), Json(int64_t{4})};
}

Values overlap_sends(const Facts&, const Json& point) { return pipelined(point) ? kYesNo : kOff; }

Values delay_weight_gradients(const Facts& facts, const Json& point) {
  return facts.training && pipelined(point) ? kYesNo : kOff;
}

Values offload(const Facts& facts, const Json&) { return facts.training ? kYesNo : kOff; }

// Every order of the kinds of groups that are there: a group of one is nowhere in particular.
Values placement_order(const Facts& facts, const Json& point) {
  if (facts.nodes == 1) return kOff;
  // As a scenario has them that says nothing of its order; without cp, orders are written without it.
  const bool context = whole_or(point, "cp", 1) > 1;
  const auto usual =
      context ? std::vector<std::string_view>{"tp", "cp", "pp", "dp"} : std::vector<std::string_view>{"tp", "pp", "dp"};
  std::vector<size_t> order(usual.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::set<std::string> seen;
  Values values;
  do {
    std::string all, present;
    for (const size_t kind : order) {
      all += (all.empty() ? "" : "-") + std::string(usual[kind]);
      if (whole_or(point, usual[kind], 1) > 1) present += usual[kind];
    }
    if (seen.insert(present).second) values.emplace_back(all);
  } while (std::next_permutation(order.begin(), order.end()));
  return values;
}

bool is_usable(const AxisDef& axis) {
  if (axis.key.find('.') != std::string_view::npos) return true;
  const auto& known = scenario::strategy_keys();
  return std::find(known.begin(), known.end(), axis.key) != known.end();
}

}  // namespace

const std::vector<AxisDef>& axis_table() {
  static const std::vector<AxisDef> kUsable = [] {
    std::vector<AxisDef> rows = {
        {"microbatches", Searched::always, microbatches, some_microbatches},
        {"schedule", Searched::always, schedules},
        {"virtual_stages", Searched::always, virtual_stages},
        {"recompute", Searched::always, recompute},
        {"ep", Searched::always, expert_parallel},
        {"zero", Searched::always, zero},
        {"sequence_parallel", Searched::always, sequence_parallel},
        {"vocabulary_parallel", Searched::on_demand, vocabulary_parallel},
        {"delay_weight_gradients", Searched::on_demand, delay_weight_gradients},
        {"overlap_gradients", Searched::on_demand, overlap_gradients},
        {"overlap_sends", Searched::on_demand, overlap_sends},
        {"overlap_tensor", Searched::on_demand, overlap_tensor},
        {"offload", Searched::on_demand, offload},
        {"placement.order", Searched::always, placement_order},
    };
    std::erase_if(rows, [](const AxisDef& row) { return !is_usable(row); });
    return rows;
  }();
  return kUsable;
}

std::vector<Json> context_ways(const Facts& facts) {
  Values values;
  for (const int64_t ways : scenario::divisors(facts.transformer ? facts.devices : 1)) {
    if (facts.sequence % ways == 0 && (!facts.experts || facts.routing % ways == 0)) values.emplace_back(ways);
  }
  return values;
}

int64_t whole_or(const Json& point, std::string_view key, int64_t fallback) {
  const Json* value = point.find(key);
  return value != nullptr && value->if_int() != nullptr ? *value->if_int() : fallback;
}

std::string_view word_or(const Json& point, std::string_view key, std::string_view fallback) {
  const Json* value = point.find(key);
  return value != nullptr && value->if_string() != nullptr ? std::string_view(*value->if_string()) : fallback;
}

}  // namespace foreflow::search
