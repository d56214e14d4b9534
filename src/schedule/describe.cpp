#include "foreflow/schedule/describe.h"

#include <fmt/core.h>

#include "foreflow/schedule/measure.h"

namespace foreflow::schedule {
namespace {

using Slots = std::vector<std::vector<Slot>>;

Slots checked_play(const ScheduleDef& schedule, int stages, int microbatches, const Costs& costs,
                   const std::string& where) {
  check_size(stages, microbatches, where);
  check_costs(costs, where);
  return play(schedule.order(stages, microbatches), costs);
}

// The letter of a label.
std::string kind(const Task& task) { return label(task).substr(0, 1); }

Json timeline_of(const std::vector<Slot>& slots) {
  Json row = Json::array();
  for (const Slot& slot : slots) {
    Json item = Json::object();
    item.set("kind", kind(slot.task)).set("microbatch", slot.task.microbatch).set("chunk", 0);
    item.set("start", slot.start).set("end", slot.end);
    row.push(std::move(item));
  }
  return row;
}

}  // namespace

std::string describe(const ScheduleDef& schedule, int stages, int microbatches, const Costs& costs,
                     const std::string& where) {
  const Slots slots = checked_play(schedule, stages, microbatches, costs, where);
  const Measures m  = measure(slots, costs);
  std::string text  = fmt::format("{}: {}\n", schedule.name, schedule.doc);
  text += fmt::format("stages {}, microbatches {}; ", stages, microbatches);
  text += fmt::format("forward {:.6g}, backward {:.6g}, hop {:.6g}; ", costs.forward, costs.backward, costs.hop);
  text += fmt::format("one column is {:.6g}\n\n", column_time(slots));
  text += draw(slots);
  text += fmt::format("\nmakespan         {:.6g}\n", m.makespan);
  text += fmt::format("ideal            {:.6g}\n", m.ideal);
  text += fmt::format("bubble fraction  {:.4f}\n\n", m.bubble_fraction);
  text += fmt::format("{:>5}  {:>12}  {:>14}\n", "stage", "span", "peak in flight");
  for (size_t stage = 0; stage < slots.size(); ++stage) {
    text += fmt::format("{:>5}  {:>12.6g}  {:>14}\n", stage, m.span_per_stage[stage], m.peak_in_flight[stage]);
  }
  return text;
}

Json to_json(const ScheduleDef& schedule, int stages, int microbatches, const Costs& costs, const std::string& where) {
  const Slots slots = checked_play(schedule, stages, microbatches, costs, where);
  const Measures m  = measure(slots, costs);
  Json spans = Json::array(), peaks = Json::array(), timeline = Json::array();
  for (size_t stage = 0; stage < slots.size(); ++stage) {
    spans.push(m.span_per_stage[stage]);
    peaks.push(m.peak_in_flight[stage]);
    timeline.push(timeline_of(slots[stage]));
  }
  Json result = Json::object();
  result.set("schedule", schedule.name).set("stages", stages).set("microbatches", microbatches);
  result.set("makespan", m.makespan).set("ideal", m.ideal).set("bubble_fraction", m.bubble_fraction);
  result.set("span_per_stage", std::move(spans)).set("peak_in_flight", std::move(peaks));
  result.set("timeline", std::move(timeline));
  return result;
}

}  // namespace foreflow::schedule
