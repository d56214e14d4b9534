// Runs ONNX's own backend tests (Debian's libonnx-testdata) through the importer and the reference executor, and prints
// how many passed, failed and are not supported, with the reason. Exit code 1: a number is wrong, or fewer pass than
// did.
//   onnx_backend [DATA]    default: where the package installs it
//   onnx_backend 1.19      the node tests of ONNX 1.19, in the folder that FOREFLOW_ONNX_1_19 names:
//   `backend/test/data` of
//                          PyPI's package
#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <map>
#include <span>
#include <string>

#include "backend/verdict.h"

namespace {

namespace fs = std::filesystem;
using foreflow::backend::Outcome;
using foreflow::backend::Verdict;

constexpr int kSkipped = 77;

// Folders of tests, and how many passed when this was last raised: a broken importer cannot pass by refusing them all.
struct Group {
  const char* folder;
  size_t least;
};
constexpr std::array kGroups = {Group{"node", 909}, Group{"pytorch-converted", 76}, Group{"pytorch-operator", 35},
                                Group{"simple", 15}};

constexpr std::array kNewGroups = {Group{"node", 1539}};

// The folder of `libonnx-testdata`; empty where the package is not installed.
fs::path test_data() {
  for (const char* folder : {"/usr/share/libonnx-testdata/data", "/usr/share/onnx/backend/test/data"}) {
    if (fs::is_directory(folder)) return folder;
  }
  return {};
}

using Verdicts = std::map<std::string, Verdict>;  // by test

Verdicts run_group(const fs::path& folder) {
  Verdicts verdicts;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!fs::exists(entry.path() / "model.onnx")) continue;
    verdicts.emplace(entry.path().filename().string(), foreflow::backend::run_test(entry.path()));
  }
  return verdicts;
}

size_t count(const Verdicts& verdicts, Outcome outcome) {
  size_t sum = 0;
  for (const auto& [test, verdict] : verdicts) sum += verdict.outcome == outcome ? 1 : 0;
  return sum;
}

// One line for each reason: how many tests, and which ops ask for it how often. Reason "op": one line for each op.
void print_refused(const Verdicts& verdicts) {
  std::map<std::string, std::map<std::string, size_t>> ops;  // by reason
  std::map<std::string, std::string> details;                // of the last test of an op
  for (const auto& [test, verdict] : verdicts) {
    if (verdict.outcome != Outcome::not_supported) continue;
    ++ops[verdict.reason.why][verdict.reason.op];
    details[verdict.reason.op] = verdict.detail;
  }
  for (const auto& [why, counts] : ops) {
    size_t sum = 0;
    std::string text;
    for (const auto& [op, count] : counts) {
      sum += count;
      text += fmt::format("{} {}{}", text.empty() || why == "op" ? "" : ",", op,
                          count > 1 ? fmt::format(" {}", count) : "");
      if (why == "op") text += fmt::format(": {}\n{:25}", details[op], "");
    }
    fmt::print("  {:>4}  {:<17}{}\n", sum, why, text);
  }
}

void print(const Group& group, const Verdicts& verdicts) {
  fmt::print("{:<18} {:>4} tests  {:>4} passed  {:>4} failed  {:>4} not supported\n", group.folder, verdicts.size(),
             count(verdicts, Outcome::passed), count(verdicts, Outcome::failed),
             count(verdicts, Outcome::not_supported));
  for (const auto& [test, verdict] : verdicts) {
    if (verdict.outcome == Outcome::failed) fmt::print("  FAILED {}: {}\n", test, verdict.detail);
  }
  print_refused(verdicts);
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_new   = argc > 1 && std::string(argv[1]) == "1.19";
  const char* named   = std::getenv("FOREFLOW_ONNX_1_19");
  const fs::path data = is_new ? fs::path(named == nullptr ? "" : named) : argc > 1 ? fs::path(argv[1]) : test_data();
  if (data.empty()) {
    fmt::print("{}\n", is_new ? "FOREFLOW_ONNX_1_19 names no folder" : "libonnx-testdata is not installed");
    return kSkipped;
  }
  bool good = true;
  for (const Group& group : is_new ? std::span<const Group>(kNewGroups) : std::span<const Group>(kGroups)) {
    if (!fs::is_directory(data / group.folder)) {
      fmt::print("{}: no such folder; the data of ONNX has one\n", (data / group.folder).string());
      return 1;
    }
    const Verdicts verdicts = run_group(data / group.folder);
    print(group, verdicts);
    const size_t passed = count(verdicts, Outcome::passed);
    if (passed < group.least) fmt::print("  FAILED: {} passed before\n", group.least);
    good = good && passed >= group.least && count(verdicts, Outcome::failed) == 0;
  }
  return good ? 0 : 1;
}
