#include "foreflow/cost/load.h"

#include "foreflow/base/text.h"

namespace foreflow::cost {

CostModel load_model(const std::string& path, const Json& overrides) {
  const Json file = parse_json(read_file(path), path);
  const JsonView calibration(file, path);
  if (!calibration.has("model")) calibration.fail("a calibration file names its cost \"model\"");
  Json merged = Json::object();
  for (const auto& [key, value] : calibration.members()) {
    if (key != "source") merged.set(key, value.json());
  }
  for (const auto& [key, value] : JsonView(overrides, path).members()) {
    if (key != "model") merged.set(key, value.json());
  }
  const JsonView model = calibration.at("model");
  return cost_models().get(model.as_string(), model.where()).make(JsonView(merged, path));
}

}  // namespace foreflow::cost
