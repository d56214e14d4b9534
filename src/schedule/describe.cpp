#include "foreflow/schedule/describe.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "foreflow/schedule/measure.h"

namespace foreflow::schedule {
namespace {

struct Played {
  Plan plan;
  std::optional<int> waiting;  // weight gradients at most, where they are delayed
  Slots slots;
  Measures measures;
};

Played played(const Question& question, const std::string& where) {
  const ScheduleDef& row = question.schedule;
  check_costs(question.costs, where);
  Played result;
  result.plan = plan(row, checked_size(row, question.devices, question.microbatches, question.virtual_stages, where));
  if (question.delay_weight_gradients) {
    const std::string why = refuse_delay(row);
    if (!why.empty()) throw Error(where, why);
    result.waiting = least_delay(result.plan, question.costs);
    result.plan    = delay_weight_gradients(result.plan, *result.waiting, question.costs);
  }
  result.slots    = play(result.plan, question.costs);
  result.measures = measure(result.plan, result.slots, question.costs);
  return result;
}

int virtual_stages(const Plan& plan) { return plan.stages() / plan.size.devices; }

std::string sizes(const Plan& plan) {
  std::string text = fmt::format("stages {}, ", plan.size.devices);
  if (virtual_stages(plan) > 1) text += fmt::format("virtual stages {}, ", virtual_stages(plan));
  return text + fmt::format("microbatches {}; ", plan.size.microbatches);
}

std::string costs_text(const Question& question) {
  const ScheduleDef& schedule = question.schedule;
  const Costs& costs          = question.costs;
  std::string text            = fmt::format("forward {:.6g}, ", costs.forward);
  if (schedule.splits_backward || question.delay_weight_gradients)
    text += fmt::format("input gradient {:.6g}, weight gradient {:.6g}, ", costs.input_grad, costs.weight_grad);
  else if (schedule.trains)
    text += fmt::format("backward {:.6g}, ", costs.backward());
  return text + fmt::format("hop {:.6g}; ", costs.hop);
}

Json timeline_of(const Plan& plan, size_t device, const std::vector<Slot>& slots) {
  Json row = Json::array();
  for (const Slot& slot : slots) {
    const int chunk = slot.task.chunk;
    Json item       = Json::object();
    // The letter of a label.
    item.set("kind", label(slot.task).substr(0, 1)).set("microbatch", slot.task.microbatch).set("chunk", chunk);
    item.set("stage", plan.stage_of(static_cast<int>(device), chunk)).set("pipe", plan.pipe_of(chunk));
    item.set("start", slot.start).set("end", slot.end);
    row.push(std::move(item));
  }
  return row;
}

// A picture grows with the square of the stages, and nobody reads one of this size.
void check_picture(const Slots& slots, const std::string& where) {
  constexpr double kMostCharacters = 32e6;
  const double characters          = picture_size(slots);
  if (characters <= kMostCharacters) return;
  throw Error(where, fmt::format("the picture of {} devices would have {:.0f} million characters, and {:.0f} million "
                                 "are drawn at most; use fewer stages or microbatches, or --json - for the numbers",
                                 slots.size(), std::ceil(characters / 1e6), kMostCharacters / 1e6));
}

}  // namespace

std::string describe(const Question& question, const std::string& where) {
  const auto [plan, waiting, slots, m] = played(question, where);
  check_picture(slots, where);
  const std::string row = plan.size.chunks == 1 ? "stage" : "device";
  std::string text      = fmt::format("{}: {}\n", question.schedule.name, question.schedule.doc);
  text += sizes(plan) + costs_text(question);
  if (waiting) text += fmt::format("weight gradients waiting: {} at most; ", *waiting);
  text += fmt::format("one column is {:.6g}\n\n", column_time(slots));
  text += draw(slots, row);
  text += fmt::format("\nmakespan         {:.6g}\n", m.makespan);
  text += fmt::format("ideal            {:.6g}\n", m.ideal);
  text += fmt::format("bubble fraction  {:.4f}\n\n", m.bubble_fraction);
  text += fmt::format("{}  {:>12}  {:>14}\n", row, "span", "peak in flight");
  for (size_t device = 0; device < slots.size(); ++device) {
    text += fmt::format("{:>{}}  {:>12.6g}  {:>14}\n", device, row.size(), m.span_per_stage[device],
                        m.peak_in_flight[device]);
  }
  return text;
}

Json to_json(const Question& question, const std::string& where) {
  const auto [plan, waiting, slots, m] = played(question, where);
  Json spans = Json::array(), peaks = Json::array(), timeline = Json::array();
  for (size_t device = 0; device < slots.size(); ++device) {
    spans.push(m.span_per_stage[device]);
    peaks.push(m.peak_in_flight[device]);
    timeline.push(timeline_of(plan, device, slots[device]));
  }
  Json result = Json::object();
  result.set("schedule", question.schedule.name).set("stages", plan.size.devices);
  result.set("virtual_stages", virtual_stages(plan)).set("microbatches", plan.size.microbatches);
  if (waiting) result.set("weight_gradients_waiting", *waiting);
  result.set("makespan", m.makespan).set("ideal", m.ideal).set("bubble_fraction", m.bubble_fraction);
  result.set("span_per_stage", std::move(spans)).set("peak_in_flight", std::move(peaks));
  result.set("timeline", std::move(timeline));
  return result;
}

}  // namespace foreflow::schedule
