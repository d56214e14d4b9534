// Measurements: parsed, printed, parsed again, fitted and assessed; the calibration is written and read.
#include <cmath>

#include "foreflow/cost/calibration.h"
#include "fuzz/form.h"

namespace foreflow::fuzz::definitions::measurements_form {
namespace {

void take(std::string_view text) {
  const auto rows           = cost::parse_csv(text, "fuzz.csv");
  const std::string printed = cost::print_csv(rows);
  const auto again          = surely("printed measurements parse", [&] { return cost::parse_csv(printed, "printed"); });
  FOREFLOW_CHECK(cost::print_csv(again) == printed, "print then parse is the identity");
  const cost::Calibration calibration = cost::fit(rows);
  for (const cost::FamilyError& error : cost::assess(calibration))
    FOREFLOW_CHECK(std::isfinite(error.line_error) && std::isfinite(error.held_out_error), "errors are numbers");
  const Json json = cost::to_json(calibration);
  surely("a calibration that was fitted is read", [&] { return cost::from_json(JsonView(json, "written")); });
}

}  // namespace

Form row() { return {"measurements", take}; }

}  // namespace foreflow::fuzz::definitions::measurements_form
