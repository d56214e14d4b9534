#include "foreflow/cost/cost.h"

#include "scenario/keys/sections.h"

namespace foreflow::scenario {
namespace {

ValueType calibration_file() {
  ValueType type = types::path("the path of a calibration file");
  type.schema    = type.schema.with("pattern", R"(\.json$)");
  return type;
}

KeyDef cost_model_key() {
  return {"model", "what an op costs (`foreflow list costs`), or a calibration file",
          types::either({types::one_of(cost::cost_models().names()), calibration_file()}),
          "`calibrated`; `roofline` beside a parameter that only it has"};
}

// A calibration file names its model itself; the scenario may say any of its parameters otherwise.
std::vector<Variant> models() {
  std::vector<Variant> all;
  for (const cost::CostModelDef& model : cost::cost_models())
    all.push_back({types::one_of({std::string(model.name)}), model.keys, model.may_be_unnamed});
  all.push_back({calibration_file(), together(all)});
  return all;
}

}  // namespace

ValueType cost_type() { return variants(cost_model_key(), models()); }

Keys cost_keys() {
  std::vector<Variant> all = models();
  all.insert(all.begin(), {{}, {cost_model_key()}});
  return together(all);
}

}  // namespace foreflow::scenario
