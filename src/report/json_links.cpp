#include "foreflow/base/nth.h"
#include "report/json_parts.h"
#include "report/name_pattern.h"

namespace foreflow::report {
namespace {

Json usage_json(const std::vector<double>& values) {
  Json all = Json::array();
  for (const double value : values) all.push(value);
  return all;
}

Json shared_json(const LinkSummary& link) {
  Json all = Json::array();
  for (const LinkSharing& sharing : link.shared) {
    Json between = Json::array();
    between.push(sharing.first);
    between.push(sharing.second);
    Json row = Json::object();
    row.set("between", std::move(between));
    row.set("time_s", sharing.seconds.value());
    all.push(std::move(row));
  }
  return all;
}

void add_figures(Json& row, const LinkSummary& link) {
  row.set("bytes", whole_bytes(link.bytes));
  row.set("busy_s", link.busy.value());
  row.set("utilization", link.utilization);
  if (link.usage.empty()) return;
  row.set("utilization_over_time", usage_json(link.usage));
  row.set("shared", shared_json(link));
}

Json by_class(const Summary& summary, const platform::Platform& platform) {
  Json all = Json::array();
  for (const LinkSummary& link : summary.links) {
    std::vector<std::string> names;
    for (const int32_t member : link.members) names.push_back(nth(platform.links(), member).name);
    Json members = Json::array();
    for (std::string& pattern : name_patterns(names)) members.push(std::move(pattern));
    Json row = Json::object();
    row.set("name", link.name);
    row.set("count", static_cast<int64_t>(link.members.size()));
    row.set("members", std::move(members));
    add_figures(row, link);
    all.push(std::move(row));
  }
  return all;
}

Json one_by_one(const Summary& summary, const platform::Platform& platform) {
  std::vector<const LinkSummary*> of(platform.links().size(), nullptr);
  for (const LinkSummary& link : summary.links) {
    for (const int32_t member : link.members) nth(of, member) = &link;
  }
  Json all = Json::array();
  for (size_t i = 0; i < of.size(); ++i) {
    if (of[i] == nullptr) continue;
    Json row = Json::object();
    row.set("name", platform.links()[i].name);
    add_figures(row, *of[i]);
    all.push(std::move(row));
  }
  return all;
}

}  // namespace

Json links_json(const Summary& summary, const platform::Platform& platform, const DeviceChoice& choice) {
  return choice.all ? one_by_one(summary, platform) : by_class(summary, platform);
}

}  // namespace foreflow::report
