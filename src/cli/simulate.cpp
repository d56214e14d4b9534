#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <new>
#include <optional>

#include "cli/advice.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/remarks.h"
#include "cli/timing.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/memory.h"
#include "foreflow/base/progress.h"
#include "foreflow/base/text.h"
#include "foreflow/report/memory.h"
#include "foreflow/report/writer.h"
#include "foreflow/scenario/idle.h"
#include "foreflow/scenario/run.h"

namespace foreflow::cli::definitions::simulate_command {
namespace {

struct Options {
  std::string scenario, engine, json, devices;
  std::vector<std::string> settings;
  std::map<std::string, std::string> reports;  // writer -> file
  bool chooses_devices = false;                // --devices is given
  bool timing          = false;
  bool observe         = false;
  bool no_fold         = false;
};

std::string written(std::string_view writer, const scenario::Outcome& outcome) {
  return report::writers()
      .get(writer, "report")
      .write(outcome.summary, outcome.program, outcome.timeline, *outcome.platform);
}

// The reports that are asked for, with their files.
using Asked = std::vector<std::pair<const report::WriterDef*, std::string>>;
Asked asked(const Options& options) {
  Asked reports;
  for (const auto& [writer, path] : options.reports) {
    if (!path.empty()) reports.emplace_back(&report::writers().get(writer, "report"), path);
  }
  return reports;
}

template <class Member>
bool any_has(const Asked& reports, Member member) {
  return std::any_of(reports.begin(), reports.end(),
                     [&](const auto& report) { return static_cast<bool>(report.first->*member); });
}

// The options that tell each device of a scenario, for which nothing is folded.
std::vector<std::string> options_of_every_device(const Asked& reports) {
  std::vector<std::string> options;
  for (const auto& [writer, path] : reports) {
    if (writer->every_device) options.push_back(fmt::format("--{}", writer->name));
  }
  return options;
}

// Says why --observe tells nothing new; "" where it does.
std::string why_observation_is_idle(const Options& options, const simulate::EngineDef& engine,
                                    const report::Summary& summary) {
  if (!engine.observes) return fmt::format("the engine {} records no rates of messages; use simgrid", engine.name);
  if (summary.links.empty()) return "the program sends nothing over links";
  const bool shared = std::any_of(summary.links.begin(), summary.links.end(),
                                  [](const report::LinkSummary& link) { return !link.shared.empty(); });
  if (shared || !options.json.empty() || !asked(options).empty()) return "";
  return "no link is shared by two communications; how busy links were over time is in --json and --trace only";
}

struct Simulated {
  scenario::Outcome outcome;
  std::vector<scenario::IdleKey> idle;
  std::vector<std::string> advice;
};

Simulated simulated(const Options& options) {
  scenario::Scenario scenario = scenario::load_file(options.scenario, options.settings);
  remark_on_opsets(scenario);
  if (!options.engine.empty()) scenario.engine = &simulate::engines().get(options.engine, "--engine");
  const bool chosen = options.chooses_devices;
  if (!chosen) remark_on_reports_of_many(scenario, options_of_every_device(asked(options)));
  if (options.observe) remark_on_observing_many(scenario);
  scenario.simulation.owns_process = true;
  scenario.simulation.observe      = options.observe;
  scenario.simulation.fold = !options.no_fold && (chosen || !any_has(asked(options), &report::WriterDef::every_device));
  scenario.simulation.every_round = chosen && any_has(asked(options), &report::WriterDef::write_devices);
  Progress progress("simulate", scenario::kSteps, 0, Progress::Drawn::itself);
  scenario::Outcome outcome = scenario::run(scenario, [&](size_t done) { progress.update(done); });
  auto idle                 = scenario::idle_keys(scenario, outcome.summary);
  if (options.observe) {
    const std::string why = why_observation_is_idle(options, *scenario.engine, outcome.summary);
    if (!why.empty()) idle.push_back({"--observe", why});
  }
  auto advised = advice(scenario, outcome);
  return {std::move(outcome), std::move(idle), std::move(advised)};
}

// The result of `step`. If memory runs out, the Error says what needed it, and whether fewer devices would need less.
template <class Step>
auto within_memory(const std::string& what, bool fewer_devices_help, const Step& step) {
  const std::string advice = fewer_devices_help ? "; --devices D1-D8 tells those devices only" : "";
  try {
    return step();
  } catch (const std::bad_alloc&) {
    throw MemoryError(what + " needs more of it than there is here" + advice);
  } catch (const MemoryError& error) {
    throw MemoryError(error.problem() + advice);
  }
}

void write_reports(const Asked& reports, const scenario::Outcome& outcome, const report::DeviceChoice& choice) {
  std::optional<simulate::Run> devices;
  if (!choice.none() && any_has(reports, &report::WriterDef::write_devices))
    devices = scenario::only_devices(outcome, [&](int32_t number) { return choice.contains(number); });
  for (const auto& [writer, path] : reports) {
    const bool one_by_one = devices && writer->write_devices != nullptr;
    write_file(path, one_by_one ? writer->write_devices(outcome.summary, devices->program, devices->timeline,
                                                        *outcome.platform)
                                : written(writer->name, outcome));
  }
}

Json json_of(const std::vector<scenario::IdleKey>& idle) {
  Json all = Json::array();
  for (const scenario::IdleKey& key : idle) all.push(Json::object().set("key", key.where).set("why", key.why));
  return all;
}

void run(const Options& options) {
  const report::DeviceChoice choice =
      options.chooses_devices ? report::read_device_choice(options.devices, "--devices") : report::DeviceChoice{};
  const bool tells_all   = !options.chooses_devices && any_has(asked(options), &report::WriterDef::every_device);
  const Simulated result = within_memory("the simulation", tells_all, [&] { return simulated(options); });
  const scenario::Outcome& outcome = result.outcome;
  for (const scenario::IdleKey& key : result.idle)
    std::cerr << escape::terminal(fmt::format("foreflow: note: {}: has no effect: {}", key.where, key.why)) << "\n";
  for (const std::string& line : result.advice) std::cerr << escape::terminal("foreflow: note: " + line) << "\n";
  report::check(choice, outcome.summary.device_count, "--devices");
  Json json;
  if (!options.json.empty())
    json = report::to_json(outcome.summary, outcome.program, *outcome.platform,
                           report::memory_peaks(outcome.summary, outcome.program, outcome.timeline), choice);
  if (!options.json.empty() && !result.idle.empty()) json.set("without_effect", json_of(result.idle));
  if (options.timing) add_timing(json);
  bool to_stdout = options.json == "-";
  for (const auto& [writer, path] : options.reports) to_stdout = to_stdout || path == "-";
  if (!to_stdout) show(written("text", outcome));
  if (options.timing && !to_stdout) {
    std::cout << fmt::format("{:.3f} s, {} peak\n", *json.find("wall_time_s")->if_double(),
                             format(Bytes(static_cast<double>(*json.find("peak_rss_bytes")->if_int()))));
  }
  if (!options.json.empty()) write_if_given(options.json, json.dump());
  within_memory("a report", choice.all || tells_all, [&] { write_reports(asked(options), outcome, choice); });
}

// The reports that have an option, in the order of the help.
std::vector<const report::WriterDef*> offered_reports() {
  std::vector<const report::WriterDef*> offered;
  for (const report::WriterDef& writer : report::writers()) {
    if (!writer.option.empty()) offered.push_back(&writer);
  }
  std::stable_sort(offered.begin(), offered.end(),
                   [](const auto* a, const auto* b) { return a->option_place < b->option_place; });
  return offered;
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  reads_scenario(command.add_option("SCENARIO.json", options->scenario, "what to predict")->required());
  command.add_option("--engine", options->engine,
                     "analytic (no contention), simgrid or simgrid_flows; instead of the scenario's");
  command.add_option("--set", options->settings, "PATH=VALUE: change one value, such as strategy.tp=4; repeatable")
      ->expected(1)
      ->take_all();
  writes(command.add_option("--json", options->json, "write the full result to FILE (- for stdout)"));
  for (const report::WriterDef* writer : offered_reports()) {
    const std::string name(writer->name);
    writes(command.add_option("--" + name, options->reports[name], std::string(writer->option)));
  }
  const CLI::Option* devices = command.add_option(
      "--devices", options->devices,
      "tell these devices one by one, in --json, --trace, --csv and --svg: all, or numbers and ranges such as "
      "D1-D8,D17");
  command.add_flag("--observe", options->observe, "record how busy links were over time and who shared them");
  command.add_flag("--no-fold", options->no_fold,
                   "simulate every device, even if several do the same; the result is the same to rounding");
  command.add_flag("--timing", options->timing, "add the wall time and peak memory of the command itself");
  return [options, devices] {
    options->chooses_devices = devices->count() > 0;
    run(*options);
  };
}

}  // namespace

CommandDef row() {
  return {"simulate", "predict one scenario: time, memory, links, what to improve first",
          "foreflow simulate scenarios/gpt2_xl_dgx2.json --set strategy.tp=4 --trace trace.json", declare};
}

}  // namespace foreflow::cli::definitions::simulate_command
