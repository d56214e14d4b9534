// "device" of a recipe or a file, and files that hold a data sheet.
#include <fmt/core.h>

#include <array>
#include <filesystem>

#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"
#include "foreflow/platform/data_sheet.h"
#include "platform/parameters.h"

namespace foreflow::platform {
namespace {

constexpr std::array<std::string_view, 6> kTypes = {"f64", "f32", "tf32", "f16", "bf16", "f8"};
constexpr std::string_view kPeak                 = "peak_";
constexpr int kLatestNvlink                      = 9;
constexpr Seconds kLaunch(10e-6);  // the default of DistIR

std::string peak_key(std::string_view dtype) { return std::string(kPeak) + std::string(dtype); }

bool is_file(const std::string& name) { return name.ends_with(".json"); }

std::string say_sheets(const std::string& name) {
  return fmt::format(
      "no data sheet has the name \"{}\"{}; see foreflow list devices, or name a FILE.json with a data sheet", name,
      suggestion(name, devices().names()));
}

DataSheet sheet_of_file(const JsonView& value) {
  const std::string path = (std::filesystem::path(value.file()).parent_path() / value.as_string()).string();
  std::string text;
  try {
    text = read_file(path);
  } catch (const Error& error) {
    value.fail(fmt::format("{}: {}", path, error.problem()));
  }
  const Json json = parse_json(text, path);
  return read_data_sheet(JsonView(json, path));
}

// A known device, by its name or the part before the first dash ("H200") where that is of one device only, or a file;
// none: only a name.
std::optional<DataSheet> sheet_named(const JsonView& value) {
  if (is_file(value.as_string())) return sheet_of_file(value);
  const DeviceDef* known = devices().find(value.as_string());
  if (known != nullptr) return known->sheet;
  std::vector<std::string> family;
  for (const DeviceDef& device : devices()) {
    if (device.name.starts_with(value.as_string() + "-")) family.push_back(device.name);
  }
  if (family.empty()) return std::nullopt;
  if (family.size() > 1)
    value.fail(fmt::format("\"{}\" is no single device; use {}", value.as_string(), list_or(family)));
  return devices().get(family.front(), value.where()).sheet;
}

template <class Read>
auto above_zero(const JsonView& value, const char* example, Read read) {
  const auto quantity = read(value);
  if (quantity.value() <= 0) value.fail(fmt::format("must be above zero, like \"{}\"", example));
  return quantity;
}

void read_numbers(const JsonView& json, DeviceChange& change) {
  if (json.has("memory"))
    change.memory = above_zero(json.at("memory"), "80GB", [](const JsonView& value) { return value.as_bytes(); });
  if (json.has("memory_bandwidth")) {
    change.memory_bandwidth =
        above_zero(json.at("memory_bandwidth"), "3.35TBps", [](const JsonView& value) { return value.as_bandwidth(); });
  }
  if (json.has("launch")) change.launch = json.at("launch").as_seconds();
  for (const std::string_view dtype : kTypes) {
    const std::string key = peak_key(dtype);
    if (!json.has(key)) continue;
    change.peaks[std::string(dtype)] =
        above_zero(json.at(key), "989Tf", [](const JsonView& value) { return value.as_flops_rate(); });
  }
  if (json.has("nvlink_generation")) change.nvlink_generation = whole(json.at("nvlink_generation"), 0, kLatestNvlink);
}

const std::string& name_in(const JsonView& value) {
  if (value.as_string().empty()) value.fail("is empty; give a name");
  return value.as_string();
}

std::vector<std::string> read_sources(const JsonView& json) {
  if (!json.has("source")) return {"device: " + json.file()};
  std::vector<std::string> sources;
  if (json.at("source").json().if_array() == nullptr) return {json.at("source").as_string()};
  for (const JsonView& item : json.at("source").items()) sources.push_back(item.as_string());
  return sources;
}

}  // namespace

const Keys& device_keys() {
  static const Keys keys = [] {
    Keys all = {
        {"name", "a data sheet (`foreflow list devices`), a file with one, or what reports call the device",
         types::text("a name"), "the machine's own"},
        {"memory",
         "capacity: `80GB` are 80e9 bytes, `80GiB` 85.9e9. Numbers of data sheets are taken in powers of 1000, about "
         "what a driver and its buffers leave of a chip's; what a driver reports is more (H100 of 80 GB: `81559MiB`)",
         types::bytes(), "as the data sheet has it"},
        {"memory_bandwidth", "of its own memory", types::bandwidth(), "as the data sheet has it"},
        {"launch", "fixed cost of starting a kernel", types::time(), "as the data sheet has it; `10us` of a file"}};
    for (const std::string_view dtype : kTypes) {
      all.push_back({peak_key(dtype), fmt::format("dense peak in {}", dtype), types::flop_rate(),
                     dtype == "f32" ? "as the data sheet has it" : "as the data sheet has it, else that of f32"});
    }
    all.push_back(
        {"nvlink_generation", "of its NVLinks; 0: none", types::whole(0, kLatestNvlink), "as the data sheet has it"});
    all.push_back({"source", "where the numbers are from: a text or a list of texts", types::text("a text"), "unsaid"});
    return all;
  }();
  return keys;
}

ValueType device_type() {
  return types::either({types::text("a name of `foreflow list devices`, or the path of a file with a data sheet"),
                        types::object_of(device_keys(), "an object")});
}

DeviceChange read_device(const JsonView& json) {
  DeviceChange change;
  if (json.json().if_object() == nullptr) {
    change.sheet = sheet_named(json);
    if (!change.sheet) json.fail(say_sheets(json.as_string()));
    return change;
  }
  json.allow_only(names_of(device_keys()));
  if (json.members().empty()) json.fail("changes nothing; give a name or a number of a data sheet");
  read_numbers(json, change);
  const bool only_name = change.empty();
  if (!json.has("name")) {
    if (only_name) json.fail("names a source but no number; give one of a data sheet");
    return change;
  }
  change.sheet = sheet_named(json.at("name"));
  if (change.sheet) return change;
  change.name = name_in(json.at("name"));
  if (only_name) json.at("name").fail(say_sheets(change.name));
  return change;
}

DataSheet read_data_sheet(const JsonView& json) {
  json.allow_only(names_of(device_keys()));
  DeviceChange numbers;
  for (const char* key : {"name", "memory", "memory_bandwidth", "peak_f32"}) json.at(key);
  read_numbers(json, numbers);
  DataSheet sheet{name_in(json.at("name")), read_sources(json), {}, {}, kLaunch, {{"f32", numbers.peaks["f32"]}}, 0};
  numbers.name = sheet.kind;
  return changed(numbers, std::move(sheet));
}

}  // namespace foreflow::platform
