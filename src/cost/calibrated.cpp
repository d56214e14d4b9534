#include <memory>

#include "cost/parameters.h"
#include "foreflow/cost/calibration.h"
#include "foreflow/cost/signature.h"

namespace foreflow::cost::definitions::calibrated {
namespace {

const Keys& keys() {
  // As `foreflow calibrate` writes them.
  ValueType family{"an object", Json::object().set("type", "object")};
  static const Keys all = {
      {"messages", "whether messages take what was measured", types::one_of({"measured", "simulated"}), "`measured`"},
      {"families", "measured times by op and data type, as `foreflow calibrate` writes them",
       types::list_of(family, "a list of objects")}};
  return all;
}

bool measured_messages(const JsonView& parameters) {
  const std::string choice = parameters.string_or("messages", "measured");
  if (choice != "measured" && choice != "simulated")
    parameters.at("messages").fail("is \"" + choice + "\"; write measured or simulated");
  return choice == "measured";
}

std::optional<Price> compute_price(const Calibration& calibration, const Application& application) {
  const ir::OpCall& call = application.call;
  const ir::Work work    = call.def.work(call, application.outputs);
  return price(calibration, {std::string(call.def.name), std::string(dtype_of(call.inputs, application.outputs)),
                             signature(call, application.outputs), 1, work.flops, work.read + work.written});
}

std::optional<Seconds> message_time(const Calibration& calibration, const Application& application, int ranks) {
  const ir::OpCall& call = application.call;
  const Bytes bytes      = message_bytes(call.def, call.inputs[0], application.outputs[0]);
  const auto found =
      price(calibration, {std::string(call.def.name), std::string(dtype_of(call.inputs, application.outputs)),
                          message_signature(call.def.name, bytes, ranks), ranks, Flops(0), bytes});
  return found ? std::optional(found->time) : std::nullopt;
}

CostModel make(const JsonView& parameters) {
  allow_only(parameters, keys());
  if (!parameters.has("families"))
    parameters.fail(
        "names no calibration; write {\"model\": \"FILE.json\"} with a file that `foreflow calibrate` made");
  const auto calibration = std::make_shared<const Calibration>(from_json(parameters.at("families")));
  const Json nothing     = Json::object();
  CostModel model        = cost_models().get("roofline", parameters.where()).make(JsonView(nothing, parameters.file()));
  const bool measured    = measured_messages(parameters);
  model.name             = "calibrated";
  model.compute          = [calibration, beyond = model.compute](const Application& application,
                                                        const platform::Device& device) {
    const auto found = compute_price(*calibration, application);
    // Shape arithmetic runs ahead of a device, unless its time was measured there.
    if (found && (!application.on_host || found->provenance == Provenance::table)) return *found;
    return beyond(application, device);
  };
  model.communication = [calibration, measured](const Application& application, int ranks) {
    return measured ? message_time(*calibration, application, ranks) : std::nullopt;
  };
  return model;
}

}  // namespace

CostModelDef row() {
  return {"calibrated",
          "measured times from a calibration file: table, interpolation, fitted line by op and data type; roofline for "
          "the rest",
          keys(), make};
}

}  // namespace foreflow::cost::definitions::calibrated
