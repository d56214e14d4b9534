#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "cli/files.h"
#include "cli/here.h"
#include "cli/output.h"
#include "cli/traces.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"
#include "foreflow/cost/calibration.h"
#include "foreflow/cost/device_calibration.h"
#include "foreflow/ir/type.h"
#include "foreflow/ops/table.h"
#include "foreflow/stream/host_copy.h"

namespace foreflow::cli::definitions::calibrate_command {
namespace {

constexpr const char* kHere = "here.json";  // what --here writes by default

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> data;
  std::string output, source, json, device, measurements;
  HereOptions how;
  bool here = false;
};

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string row_of(const cost::FamilyError& error, const std::string& note) {
  const std::string held_out = error.held_out == 0 ? "-" : percent(error.held_out_error);
  const std::string row      = fmt::format("  {:<36}{:>7}{:>11}{:>16}  {}", escape::terminal(error.name), error.points,
                                           percent(error.line_error), held_out, note);
  return row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
}

// The latency and bandwidth of messages, as far as their times show them.
std::string note_of(const cost::Family& family) {
  if (family.ranks == 1) return "";
  std::string note;
  if (cost::shows_latency(family)) note = "latency " + format(family.line.fixed);
  if (!cost::grows(family) || family.line.per_byte <= 0) return note;
  return note + (note.empty() ? "" : ", ") + format(BytesPerSecond(1 / family.line.per_byte));
}

std::string listed(const std::vector<std::string>& names) {
  constexpr size_t kNamed = 6;
  std::string text;
  for (size_t i = 0; i < std::min(kNamed, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kNamed ? fmt::format("{} and {} more", text, names.size() - kNamed) : text;
}

void print_note(const std::vector<std::string>& families, const std::string& text) {
  if (!families.empty()) std::cerr << escape::terminal("foreflow: note: " + listed(families) + ": " + text) << "\n";
}

// Families whose measurements say nothing about larger work, or about short messages.
void remark_on_rates(const cost::Calibration& calibration) {
  std::vector<std::string> computes, longer, shorter;
  for (const cost::Family& family : calibration.families) {
    if (family.ranks == 1) {
      if (!cost::grows(family)) computes.push_back(cost::name(family));
      continue;
    }
    const auto [least, most] =
        std::minmax_element(family.points.begin(), family.points.end(),
                            [](const cost::Point& a, const cost::Point& b) { return a.bytes < b.bytes; });
    if (!cost::grows(family)) longer.push_back(cost::name(family) + " (up to " + format(most->bytes) + ")");
    if (!cost::shows_latency(family)) shorter.push_back(cost::name(family) + " (from " + format(least->bytes) + ")");
  }
  print_note(computes,
             "what was measured does not show how times grow with the work, so larger work takes at least the time "
             "that follows from the data sheet; measure work of other sizes, too");
  print_note(longer,
             "what was measured does not show how times grow with the bytes, so longer messages are simulated; measure "
             "longer messages, too");
  print_note(shorter,
             "what was measured shows no latency, so shorter messages are simulated; measure shorter messages, too");
}

// Families of ops and data types that no program has.
void remark_on_names(const cost::Calibration& calibration) {
  std::set<std::string> unknown;
  std::vector<std::string> types;
  for (int type = 0; type < ir::kDTypes; ++type) types.emplace_back(ir::short_name(static_cast<ir::DType>(type)));
  for (const cost::Family& family : calibration.families) {
    const bool copies = family.op == stream::kCopyToHost || family.op == stream::kCopyFromHost;
    if (!copies && ops::table().find(family.op) == nullptr) {
      unknown.insert("there is no op \"" + family.op + "\", so no program takes its times" +
                     suggestion(family.op, ops::table().names()));
    }
    if (std::find(types.begin(), types.end(), family.dtype) == types.end()) {
      unknown.insert("there is no data type \"" + family.dtype + "\", so no program takes its times" +
                     suggestion(family.dtype, types));
    }
  }
  for (const std::string& text : unknown) std::cerr << escape::terminal("foreflow: note: " + text) << "\n";
}

Json to_json(const cost::FamilyError& error) {
  Json row = Json::object();
  row.set("name", error.name).set("points", error.points).set("mape", error.line_error);
  return row.set("held_out_points", error.held_out).set("held_out_mape", error.held_out_error);
}

std::string row_of(const cost::FittedLaw& law) {
  std::string note;
  if (law.short_error) note += "below 1 MB " + percent(*law.short_error);
  if (law.long_error) note += (note.empty() ? "from 1 MB " : ", from there on ") + percent(*law.long_error);
  const std::string row = fmt::format("  {:<36}{:>7}{:>11}{:>16}  {}", law.law + " " + law.of, law.points,
                                      percent(law.error), percent(law.held_out), note);
  return row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
}

// Laws of kernels and collectives, fitted to published measurements of one device.
void run_device(const Options& options) {
  const cost::DeviceCalibration calibration = cost::calibrate_device(options.device, options.files, options.data);
  std::string text =
      fmt::format("{}\n\n  {:<36}{:>7}{:>11}{:>16}\n", options.device, "", "points", "error", "held-out error");
  Json rows = Json::array();
  for (const cost::FittedLaw& law : calibration.laws) {
    text += row_of(law);
    rows.push(Json::object()
                  .set("name", law.law + " " + law.of)
                  .set("points", static_cast<int64_t>(law.points))
                  .set("mape", law.error)
                  .set("held_out_mape", law.held_out));
  }
  Json file = cost::to_json(calibration);
  if (!options.source.empty()) file.set("source", options.source);
  write_file(options.output, file.dump());
  answer(options.json, Json::object().set("device", options.device).set("families", std::move(rows)),
         options.output == "-" ? "" : text);
}

// The measurements of the given scenarios, or of the standard ones, each run with every op timed.
std::vector<cost::Measurement> measure_here(const Options& options, const Runner& runner) {
  std::vector<HerePoint> points;
  for (const std::string& file : options.files) {
    for (HerePoint& point : points_of(file, {})) points.push_back(std::move(point));
  }
  if (options.files.empty()) points = standard_points();
  std::vector<cost::Measurement> all;
  for (size_t p = 0; p < points.size(); ++p) {
    std::cerr << fmt::format("foreflow: {} of {}: {}\n", p + 1, points.size(), escape::terminal(points[p].name));
    const execute::InTurn runs = runner.run(task_of(points[p].scenario, runner));
    for (const auto& rows : {runs.profile.measurements, runs.detailed.measurements})
      all.insert(all.end(), rows.begin(), rows.end());
  }
  write_if_given(options.measurements, cost::print_csv(all));
  return all;
}

void fit_and_write(const Options& options, const MeasuredFiles& files, std::string source) {
  const std::vector<cost::Measurement>& measurements = files.measurements;
  const cost::Calibration calibration                = cost::fit(measurements);
  const auto errors                                  = cost::assess(calibration);
  const cost::FamilyError all                        = cost::total(errors);
  std::string text                                   = files.text;
  text += fmt::format("{} measurements, {} distinct, {} families\n\n  {:<36}{:>7}{:>11}{:>16}\n", measurements.size(),
                      all.points, errors.size(), "", "points", "line error", "held-out error");
  Json families = Json::array();
  for (size_t f = 0; f < errors.size(); ++f) {
    text += row_of(errors[f], note_of(calibration.families[f]));
    families.push(to_json(errors[f]));
  }
  text += row_of(all, "");
  if (!options.source.empty()) source = options.source;
  Json file = Json::object();
  file.set("source", source).set("model", "calibrated");
  if (!files.device.empty()) file.set("device", files.device);
  file.set("families", cost::to_json(calibration));
  write_file(options.output, file.dump());
  Json json = to_json(all);
  json.set("families", std::move(families));
  if (!files.text.empty()) json.set("host", files.host);
  answer(options.json, json, options.output == "-" ? "" : text);
  remark_on_names(calibration);
  remark_on_rates(calibration);
}

void run(Options options) {
  if (options.output.empty() && !options.here) throw CLI::RequiredError("--output");
  if (options.files.empty() && !options.here) throw CLI::RequiredError("MEASUREMENTS.csv");
  check_extension(options.output, "a calibration", {"FILE.json"});
  if (options.here) {
    if (options.output.empty()) options.output = kHere;
    check_apart({{"--output " + options.output, options.output},
                 {"--json " + options.json, options.json},
                 {"--measurements " + options.measurements, options.measurements}},
                {});
    if (!options.device.empty()) throw Error("--device", "is of published measurements; leave it out with --here");
    const Runner runner = runner_of(options.how);
    fit_and_write(options, {.measurements = measure_here(options, runner)},
                  "measured on this machine by " + runner.name);
    if (options.output != "-" && options.json != "-") show("\nwritten to " + escape::terminal(options.output) + "\n");
    return;
  }
  if (!options.device.empty() && !options.measurements.empty())
    throw Error("--measurements", "is of --here and of traces; the files of a --device are measurements already");
  if (!options.device.empty()) return run_device(options);
  if (!options.data.empty()) throw Error("--data", "is a folder of published measurements; name their --device");
  std::string source;
  for (const std::string& file : options.files) source += (source.empty() ? "measured: " : ", ") + file;
  const MeasuredFiles files = read_measured_files(options.files);
  cost::check_work(files.measurements, fmt::format("{}", fmt::join(options.files, ", ")));
  write_if_given(options.measurements, cost::print_csv(files.measurements));
  fit_and_write(options, files, source);
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  reads(command.add_option(
      "MEASUREMENTS.csv", options->files,
      "what `foreflow execute --measurements` or calibration/profile.py wrote, or traces of PyTorch's profiler (.json, "
      ".json.gz), one for each rank of a run; one or more. With --here: "
      "scenarios to run (default: those of scenarios/here)"));
  writes(
      command.add_option("-o,--output", options->output, "the calibration file (with --here, by default here.json)"));
  command.add_flag("--here", options->here,
                   "measure this machine: run scenarios with a process for each device, every op timed");
  writes(command.add_option("--measurements", options->measurements,
                            "with --here, or of traces: write what was measured as CSV"));
  add_here_options(command, options->how);
  command.add_option("--source", options->source,
                     "what the file says about where its numbers are from; the CSV files by default");
  command.add_option("--device", options->device,
                     "the files are published measurements of this device: fit its laws; one of " +
                         list_or(cost::calibrated_devices()));
  command
      .add_option("--data", options->data,
                  "with --device: a folder that the files are in; given again, the next one to look into")
      ->allow_extra_args(false);
  writes(command.add_option("--json", options->json, "write the errors to FILE (- for stdout)"));
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"calibrate", "fit cost tables to measured times; show how well they fit",
          "foreflow calibrate --here -o laptop.json", declare};
}

}  // namespace foreflow::cli::definitions::calibrate_command
