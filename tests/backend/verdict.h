// What became of one of ONNX's own backend tests: a folder with a model, inputs and expected outputs.
#pragma once

#include <filesystem>
#include <string>

#include "backend/reason.h"

namespace foreflow::backend {

enum class Outcome { passed, failed, not_supported };

struct Verdict {
  Outcome outcome;
  Reason reason;       // not supported: why
  std::string detail;  // failed, not supported: the whole message
};

// Imports `folder`/model.onnx, runs the reference executor on every test_data_set_* and compares with the tolerances of
// ONNX's own runner: 1e-3 relative, 1e-7 absolute. A wrong number, type or shape fails; what is refused with an Error
// is not supported.
Verdict run_test(const std::filesystem::path& folder);

}  // namespace foreflow::backend
