// ONNX's own backend tests (Debian's libonnx-testdata): import the model, run the reference executor on the stored
// inputs and compare with the stored outputs. Ops that the table lacks are left out, all others must agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "foreflow/interpret/concrete.h"
#include "foreflow/onnx/import.h"
#include "foreflow/onnx/tensor_file.h"
#include "foreflow/ops/table.h"

namespace foreflow::onnx {
namespace {

namespace fs = std::filesystem;

// The folder of `libonnx-testdata`; empty where the package is not installed.
fs::path test_data() {
  for (const char* folder : {"/usr/share/libonnx-testdata/data", "/usr/share/onnx/backend/test/data"}) {
    if (fs::is_directory(folder)) return folder;
  }
  return {};
}

std::vector<NamedArray> read_all(const fs::path& folder, const std::string& prefix) {
  std::vector<NamedArray> arrays;
  for (fs::path file; fs::exists(file = folder / (prefix + std::to_string(arrays.size()) + ".pb"));)
    arrays.push_back(read_tensor_file(file.string()));
  return arrays;
}

// Tolerances of ONNX's own runner: 1e-3 relative, 1e-7 absolute; one unit more for 16-bit floats.
std::string difference(const ir::Array& got, const ir::Array& expected) {
  if (got.dtype() != expected.dtype() || got.dims() != expected.dims())
    return ir::to_string(got.type()) + " instead of " + ir::to_string(expected.type());
  const bool narrow = ir::is_float(expected.dtype()) && ir::size_of(expected.dtype()) < 4;
  for (int64_t i = 0; i < got.size(); ++i) {
    const double a = got.at(i), b = expected.at(i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (std::abs(a - b) <= (narrow ? 1e-3 : 1e-6) + 1e-3 * std::abs(b)) continue;
    return "element " + std::to_string(i) + " is " + std::to_string(a) + " instead of " + std::to_string(b);
  }
  return {};
}

// Random results, for which the standard states no generator.
bool is_random(const std::string& test) { return test.find("bernoulli") != test.npos; }

struct Tally {
  std::map<std::string, std::string> wrong;  // test -> what
  std::set<std::string> agreed, left_out;
};

void run(const fs::path& folder, Tally& tally) {
  const std::string name = folder.filename().string();
  if (is_random(name)) return;
  Imported imported;
  std::vector<NamedArray> inputs, expected;
  try {
    inputs   = read_all(folder / "test_data_set_0", "input_");
    expected = read_all(folder / "test_data_set_0", "output_");
    Given given;  // control flow depends on inputs
    for (const NamedArray& input : inputs) given.inputs.emplace(input.name, input.array);
    imported = import_model((folder / "model.onnx").string(), ops::table(), Numbers::read, given);
  } catch (const Error&) {
    tally.left_out.insert(name);
    return;
  }
  try {
    const ir::Function& main = imported.module.entry();
    std::vector<ir::Array> arguments;
    for (const NamedArray& input : inputs) arguments.push_back(input.array);
    for (size_t i = inputs.size(); i < main.parameters.size(); ++i)
      arguments.push_back(imported.weights.at(main.values[i].name));
    const std::vector<ir::Array> results = interpret::evaluate(imported.module, 0, arguments);
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string what = difference(results[i], expected[i].array);
      if (!what.empty()) {
        tally.wrong[name] = "output " + std::to_string(i) + ": " + what;
        return;
      }
    }
    tally.agreed.insert(name);
  } catch (const Error& error) {
    tally.wrong[name] = error.what();
  }
}

// How many tests agreed when this was last raised, so that a broken importer cannot pass by leaving all of them out.
const std::map<std::string, size_t>& least_agreed() {
  static const std::map<std::string, size_t> counts = {
      {"node", 633}, {"pytorch-converted", 75}, {"pytorch-operator", 34}, {"simple", 6}};
  return counts;
}

class Backend : public ::testing::TestWithParam<std::string> {};

TEST_P(Backend, TestsOfOnnxAgreeWithTheReferenceExecutor) {
  const fs::path data = test_data();
  if (data.empty()) GTEST_SKIP() << "libonnx-testdata is not installed";
  Tally tally;
  std::set<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(data / GetParam())) folders.insert(entry.path());
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / "model.onnx")) run(folder, tally);
  }
  for (const auto& [test, what] : tally.wrong) ADD_FAILURE() << test << ": " << what;
  RecordProperty("agreed", static_cast<int>(tally.agreed.size()));
  EXPECT_GE(tally.agreed.size(), least_agreed().at(GetParam())) << tally.left_out.size() << " tests were left out";
}

INSTANTIATE_TEST_SUITE_P(Every, Backend, ::testing::Values("node", "pytorch-converted", "pytorch-operator", "simple"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace foreflow::onnx
