// Lists the events that must be profiled to predict a scenario from measurements.
#include "foreflow/scenario/events.h"

#include <fmt/core.h>

#include <memory>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/remarks.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/text.h"

namespace foreflow::cli::definitions::events_command {
namespace {

using scenario::Event;
using scenario::Scope;

struct Options {
  std::string scenario, json, csv;
  std::vector<std::string> settings;
  bool missing = false;
};

// Measured for this very signature: there is nothing to profile.
bool is_measured(const Event& event) { return event.provenance == cost::name(cost::Provenance::table); }

int64_t executions(const std::vector<Event>& events) {
  int64_t all = 0;
  for (const Event& event : events) all += event.count;
  return all;
}

std::string scope_of(const Event& event) {
  if (event.scope == Scope::compute) return event.device;
  return event.nodes > 1 ? fmt::format("{}, {} nodes", scenario::name(event.scope), event.nodes)
                         : std::string(scenario::name(event.scope));
}

std::string text_of(const std::string& title, const std::vector<Event>& events) {
  size_t messages = 0, measured = 0;
  for (const Event& event : events) {
    messages += event.scope == Scope::compute ? 0 : 1;
    measured += is_measured(event) ? 1 : 0;
  }
  std::string out = fmt::format(
      "{}\n\n  {} distinct events, {} of them messages, are executed {} times on all devices\n  {} are "
      "measured, {} are to be profiled\n\n  {:>12}  {:>10}  {:<12}  {:<22}  event\n",
      escape::terminal(title), events.size(), messages, executions(events), measured, events.size() - measured, "count",
      "time", "from", "on");
  for (const Event& event : events)
    out += fmt::format("  {:>12}  {:>10}  {:<12}  {:<22}  {}\n", event.count, format(event.time), event.provenance,
                       scope_of(event), escape::terminal(event.signature));
  return out;
}

Json json_of(const std::vector<Event>& events) {
  Json rows = Json::array();
  for (const Event& event : events) {
    Json row = Json::object().set("op", event.op).set("dtype", event.dtype).set("signature", event.signature);
    row.set("scope", std::string(scenario::name(event.scope))).set("count", event.count);
    if (event.scope == Scope::compute) {
      row.set("device", event.device).set("flops", event.flops.value());
      row.set("bytes_read", whole_bytes(event.read)).set("bytes_written", whole_bytes(event.written));
    } else {
      row.set("ranks", event.ranks).set("nodes", event.nodes).set("message_bytes", whole_bytes(event.message));
    }
    rows.push(row.set("cost_s", event.time.value()).set("provenance", event.provenance));
  }
  Json json = Json::object().set("distinct", static_cast<int64_t>(events.size())).set("total", executions(events));
  return json.set("events", std::move(rows));
}

void run(const Options& options) {
  const auto asked = scenario::load_file(options.scenario, options.settings);
  remark_on_opsets(asked);
  auto events            = scenario::events(asked, scenario::load_platform(asked.platform));
  const bool with_device = scenario::have_several_devices(events);
  if (options.missing) std::erase_if(events, is_measured);
  write_if_given(options.csv, cost::print_csv(scenario::to_measure(events, with_device)));
  answer(options.json, json_of(events), options.csv == "-" ? "" : text_of(asked.name, events));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  reads_scenario(command.add_option("SCENARIO.json", options->scenario, "whose events")->required());
  command.add_option("--set", options->settings, "PATH=VALUE: change one value, such as strategy.tp=4; repeatable")
      ->expected(1)
      ->take_all();
  command.add_flag("--missing", options->missing, "only those that the cost model has no measurement of");
  writes(command.add_option("--json", options->json, "write the events to FILE (- for stdout)"));
  writes(command.add_option(
      "--csv", options->csv,
      "write what has to be measured to FILE (- for stdout), for calibration/profile.py; seconds are 0"));
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"events", "the distinct events of a scenario, its ops and messages, with counts: what has to be profiled",
          "foreflow events scenarios/llama3_70b_512_h100.json --csv events.csv", declare};
}

}  // namespace foreflow::cli::definitions::events_command
