// <trace>, <trace_connect>, and the attributes of hosts and links that name files of profiles.
#include "foreflow/base/text.h"
#include "platform/zones/dtd.h"
#include "platform/zones/reading.h"

namespace foreflow::platform::zones {
namespace {

void connect(Reading& reading, const pugi::xml_node& node) {
  const Steps& trace          = reading.traces.at(text(node, "trace"));
  const std::string_view kind = attribute(node, "kind");
  const std::string element   = text(node, "element");
  const bool of_host          = kind == "HOST_AVAIL" || kind == "SPEED";
  std::vector<int> indices;
  if (of_host) {
    if (const auto host = find_host(reading.tree(), element)) indices = {*host};
  } else if (const auto split = reading.splits.find(element); split != reading.splits.end()) {
    indices = {split->second, split->second + 1};
  } else if (const auto link = find_link(reading.tree(), element)) {
    indices = {*link};
  }
  if (indices.empty())
    reading.fail(node, fmt::format("element: there is no {} \"{}\"", of_host ? "host" : "link", element));
  const Profile::What what = kind == "SPEED"        ? Profile::What::speed
                             : kind == "HOST_AVAIL" ? Profile::What::on
                             : kind == "BANDWIDTH"  ? Profile::What::bandwidth
                             : kind == "LATENCY"    ? Profile::What::latency
                                                    : Profile::What::link_on;
  add_profile(reading, node, {what, std::move(indices), trace.steps, trace.period});
}

}  // namespace

void add_profile(Reading& reading, const pugi::xml_node& node, Profile profile) {
  if (profile.steps.empty()) return;
  for (const Profile::Step& step : profile.steps) {
    const bool state = profile.what == Profile::What::on || profile.what == Profile::What::link_on;
    if (!state && step.value < 0)
      reading.fail(node, fmt::format("its profile has the value {}; only those of states go below zero", step.value));
  }
  profile.source = reading.source.where(node);
  reading.document.profiles.push_back(std::move(profile));
}

void read_profile_of(Reading& reading, const pugi::xml_node& node, const char* name, Profile::What what,
                     const std::vector<int>& indices) {
  const std::string file = text(node, name);
  if (file.empty()) return;
  Steps steps = reading.at(node, fmt::format("{} \"{}\"", name, file),
                           [&] { return read_profile(read_profile_file(file, reading.file, reading.folders), 0); });
  add_profile(reading, node, {what, indices, std::move(steps.steps), steps.period});
}

void read_trace(Reading& reading, const pugi::xml_node& node) {
  const std::string id   = text(node, "id");
  const std::string file = text(node, "file");
  const auto period      = parse_number<double>(text(node, "periodicity"));
  if (!period) reading.fail(node, fmt::format("periodicity \"{}\" is no number of seconds", text(node, "periodicity")));
  std::string inside;
  for (const pugi::xml_node& child : node.children()) inside += child.value();
  Steps steps = reading.at(node, fmt::format("trace \"{}\"", id), [&] {
    return file.empty() ? read_profile(inside, std::max(0.0, *period))
                        : read_profile(read_profile_file(file, reading.file, reading.folders), 0);
  });
  // SimGrid keeps the first.
  if (!reading.traces.emplace(id, std::move(steps)).second)
    reading.document.ignored.push_back(fmt::format("a second trace \"{}\": the first one counts", id));
}

void connect_trace(Reading& reading, const pugi::xml_node& node) {
  if (!reading.traces.contains(text(node, "trace")))
    reading.fail(node, fmt::format("no trace \"{}\" is declared before", text(node, "trace")));
  reading.connections.push_back(node);
}

void connect_traces(Reading& reading) {
  for (const pugi::xml_node& node : reading.connections) connect(reading, node);
}

}  // namespace foreflow::platform::zones
