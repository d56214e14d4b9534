#include <filesystem>

#include "foreflow/base/text.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

// How a scenario names a file with the extension of `path`; empty: files like it are no part of one.
std::string part_with(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string extension = file.extension().string(), name = Json(file.filename().string()).dump_compact();
  if (extension == ".xml") return R"("platform": {"file": )" + name + "}";
  if (extension == ".onnx") return R"("workload": {"onnx": )" + name + "}";
  if (extension == ".distir" || extension == ".distirb") return R"("workload": {"distir": )" + name + "}";
  return "";
}

Json read_scenario(const std::string& path) {
  const std::string part  = part_with(path);
  const std::string other = "is no scenario; a scenario is a JSON file that names this one: " + part;
  const ReadLimit limit{256'000'000, part.empty() ? "has more than 256 MB; no scenario is that large" : other};
  const std::string text = read_file(path, limit);
  try {
    return parse_json(text, path);
  } catch (const Error&) {
    if (part.empty()) throw;
    throw Error(path, other);
  }
}

}  // namespace

void override_with(Json& json, const std::string& setting) {
  const size_t equals     = setting.find('=');
  const std::string where = "--set " + setting;
  if (equals == std::string::npos || equals == 0) throw Error(where, "write PATH=VALUE, such as strategy.tp=4");
  Json* place = &json;
  for (const std::string& key : split(std::string_view(setting).substr(0, equals), '.')) {
    if (key.empty()) throw Error(where, "write PATH=VALUE, such as strategy.tp=4");
    if (!place->is_null() && place->if_object() == nullptr)
      throw Error(where, "\"" + key + "\" would be inside a value that is no object");
    place = &place->member(key);
  }
  const std::string value = setting.substr(equals + 1);
  try {
    *place = parse_json(value, where);
  } catch (const Error&) {
    *place = Json(value);
  }
}

Json read_source(const std::string& path, const std::vector<std::string>& overrides) {
  Json json = read_scenario(path);
  for (const std::string& setting : overrides) override_with(json, setting);
  return json;
}

}  // namespace foreflow::scenario
