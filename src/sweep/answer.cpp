#include "sweep/answer.h"

#include <algorithm>
#include <cmath>

#include "foreflow/sweep/sweep.h"

namespace foreflow::sweep {
namespace {

using report::DeviceSummary;
using report::LinkSummary;
using report::Summary;

double mean(const Summary& summary, Seconds DeviceSummary::*time) {
  Seconds sum;
  for (const DeviceSummary& device : summary.devices) sum += static_cast<double>(device.count()) * device.*time;
  return summary.device_count == 0 ? 0 : sum.value() / static_cast<double>(summary.device_count);
}

Bytes peak_memory(const Summary& summary) {
  Bytes peak;
  for (const DeviceSummary& device : summary.devices) peak = std::max(peak, device.peak_memory);
  return peak;
}

// The first of those that are busiest; a nameless idle one where nothing was sent.
LinkSummary busiest(const Summary& summary) {
  const auto found = std::max_element(summary.links.begin(), summary.links.end(),
                                      [](const auto& a, const auto& b) { return a.utilization < b.utilization; });
  return found == summary.links.end() ? LinkSummary() : *found;
}

enum class Kind : uint8_t { number, bytes, flag, text };

struct Column {
  const char* name;
  Kind kind;
  Json (*of)(const Summary& summary);

  bool has_number() const { return kind == Kind::number || kind == Kind::bytes; }
};

constexpr Column kColumns[] = {
    {"iteration_time_s", Kind::number, [](const Summary& s) -> Json { return s.iteration_time.value(); }},
    {"throughput_samples_per_s", Kind::number, [](const Summary& s) -> Json { return s.samples_per_second; }},
    {"tokens_per_s_per_device", Kind::number, [](const Summary& s) -> Json { return s.tokens_per_second_per_device; }},
    {"mfu", Kind::number, [](const Summary& s) -> Json { return s.mfu; }},
    {"fits", Kind::flag, [](const Summary& s) -> Json { return s.fits; }},
    {"peak_memory_bytes", Kind::bytes, [](const Summary& s) -> Json { return whole_bytes(peak_memory(s)); }},
    {"compute_s", Kind::number, [](const Summary& s) -> Json { return mean(s, &DeviceSummary::compute); }},
    {"communication_s", Kind::number, [](const Summary& s) -> Json { return mean(s, &DeviceSummary::communication); }},
    {"idle_s", Kind::number, [](const Summary& s) -> Json { return mean(s, &DeviceSummary::idle); }},
    {"busiest_link", Kind::text, [](const Summary& s) -> Json { return busiest(s).name; }},
    {"busiest_link_utilization", Kind::number, [](const Summary& s) -> Json { return busiest(s).utilization; }},
};

bool is_number(const Json& value) {
  if (value.if_int() != nullptr) return *value.if_int() >= 0;
  return value.if_double() != nullptr && std::isfinite(*value.if_double()) && *value.if_double() >= 0;
}

void check(const Column& column, const JsonView& answer) {
  const JsonView member = answer.at(column.name);
  const Json& value     = member.json();
  if (column.has_number() && !is_number(value)) member.fail("is no number of 0 or more");
  if (column.kind == Kind::flag) static_cast<void>(member.as_bool());
  if (column.kind == Kind::text) static_cast<void>(member.as_string());
}

}  // namespace

Json read_answer(const std::string& text, const std::string& where) {
  Json json = parse_json(text, where);
  const JsonView answer(json, where);
  answer.allow_only(answer_columns());
  for (const Column& column : kColumns) check(column, answer);
  // Answers kept by earlier versions have sizes with a fraction, "1024.0".
  for (const Column& column : kColumns) {
    if (column.kind == Kind::bytes) json.set(column.name, whole_bytes(Bytes(answer.at(column.name).as_number())));
  }
  return json;
}

Json answer_of(const Summary& summary) {
  Json answer;
  for (const Column& column : kColumns) {
    Json value = column.of(summary);
    if (column.has_number() && !is_number(value))
      throw Error(column.name, "is no finite number; an iteration that takes time would have one");
    answer.set(column.name, std::move(value));
  }
  return answer;
}

const std::vector<std::string>& answer_columns() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Column& column : kColumns) all.emplace_back(column.name);
    return all;
  }();
  return names;
}

}  // namespace foreflow::sweep
