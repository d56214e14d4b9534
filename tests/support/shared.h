// Models of others, which lie beside the source tree (`../shared/onnx/models`) and do not ship with the project: a test
// that needs one is skipped, with a message, where it is absent. tests/fetch_models gets them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

namespace foreflow::test {

// $FOREFLOW_SHARED when it is set, else `shared` beside the source folder (or beside its parent). Empty: there is none.
std::filesystem::path shared_folder();

// A file or folder below it. Empty: it is not there.
std::filesystem::path find_shared(const std::filesystem::path& name);

}  // namespace foreflow::test

// Binds `variable` to a shared file, or skips the test:
//   FOREFLOW_SHARED_OR_SKIP(model, "onnx/models/bert_vespa.onnx");
#define FOREFLOW_SHARED_OR_SKIP(variable, name)                               \
  const std::filesystem::path variable = ::foreflow::test::find_shared(name); \
  if (variable.empty()) GTEST_SKIP() << "there is no shared/" << (name) << " here; tests/README.md says how to get it"
