#include <fmt/core.h>

#include "cli/command.h"
#include "cli/output.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/text.h"
#include "foreflow/cost/calibration.h"
#include "foreflow/cost/device_calibration.h"

namespace foreflow::cli::definitions::calibrate_command {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string output, source, json, device, data;
};

std::vector<cost::Measurement> read_all(const std::vector<std::string>& files) {
  std::vector<cost::Measurement> all;
  for (const std::string& file : files) {
    const auto rows = cost::parse_csv(read_file(file), file);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string row_of(const cost::FamilyError& error, const std::string& note) {
  const std::string held_out = error.held_out == 0 ? "-" : percent(error.held_out_error);
  const std::string row      = fmt::format("  {:<36}{:>7}{:>11}{:>16}  {}", escape::terminal(error.name), error.points,
                                           percent(error.line_error), held_out, note);
  return row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
}

// The latency and bandwidth that the fitted line of a message implies.
std::string note_of(const cost::Family& family) {
  if (family.ranks == 1) return "";
  std::string note = "latency " + format(family.line.fixed);
  if (family.line.per_byte > 0) note += ", " + format(BytesPerSecond(1 / family.line.per_byte));
  return note;
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

void run(const Options& options) {
  if (!options.device.empty()) return run_device(options);
  const auto measurements             = read_all(options.files);
  const cost::Calibration calibration = cost::fit(measurements);
  const auto errors                   = cost::assess(calibration);
  const cost::FamilyError all         = cost::total(errors);
  std::string text =
      fmt::format("{} measurements, {} distinct, {} families\n\n  {:<36}{:>7}{:>11}{:>16}\n", measurements.size(),
                  all.points, errors.size(), "", "points", "line error", "held-out error");
  Json families = Json::array();
  for (size_t f = 0; f < errors.size(); ++f) {
    text += row_of(errors[f], note_of(calibration.families[f]));
    families.push(to_json(errors[f]));
  }
  text += row_of(all, "");
  std::string source = options.source;
  for (const std::string& file : options.files) {
    if (options.source.empty()) source += (source.empty() ? "measured: " : ", ") + file;
  }
  Json file = Json::object();
  file.set("source", source).set("model", "calibrated").set("families", cost::to_json(calibration));
  write_file(options.output, file.dump());
  Json json = to_json(all);
  answer(options.json, json.set("families", std::move(families)), options.output == "-" ? "" : text);
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  command.add_option("MEASUREMENTS.csv", options->files, "what `foreflow execute --measurements` wrote; one or more")
      ->required();
  command.add_option("-o,--output", options->output, "the calibration file")->required();
  command.add_option("--source", options->source,
                     "what the file says about where its numbers are from; the CSV files by default");
  command.add_option("--device", options->device,
                     "the files are published measurements of this device: fit its laws; one of " +
                         list_or(cost::calibrated_devices()));
  command.add_option("--data", options->data, "with --device: the folder that the files are in");
  command.add_option("--json", options->json, "write the errors to FILE (- for stdout)");
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"calibrate", "fit cost tables to measured times; show how well they fit",
          "foreflow calibrate times.csv -o calibration/laptop.json", declare};
}

}  // namespace foreflow::cli::definitions::calibrate_command
