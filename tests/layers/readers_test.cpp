// A scenario is read from JSON once: behind its readers nothing of the chain looks into the JSON again.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "layers/source.h"

namespace foreflow::layers::readers_test {
namespace {

// Files and folders that read JSON, or declare what does; beside them, every file read*.
const std::set<std::string> kReaders = {
    "include/foreflow/scenario/demand.h",        // the demand that a search has kept
    "include/foreflow/scenario/framework.h",     // profiles, which complete a scenario before it is read
    "include/foreflow/scenario/scenario.h",      // load
    "include/foreflow/scenario/schema.h",        // misplaced keys
    "include/foreflow/scenario/strategy_key.h",  // rows of the table of keys
    "include/foreflow/workload/key_values.h",
    "src/scenario/demand/demand_json.cpp",
    "src/scenario/framework/framework.cpp",
    "src/scenario/keys",
    "src/scenario/reading/load.cpp",
    "src/scenario/strategy_keys",
    "src/workload/key_values.cpp",
};

bool is_reader(const SourceFile& file) {
  return file.stem().starts_with("read") || kReaders.contains(file.path) || kReaders.contains(file.folder());
}

// A view of JSON, or a member of the JSON that a scenario keeps.
bool looks_into_json(const std::string& line) {
  static const std::regex kLook(R"(\bJsonView\b|\bsource\.(find|if_\w+|member)\()");
  return std::regex_search(line.substr(0, line.find("//")), kLook);
}

TEST(Readers, AreFoundByWhatTheyLookInto) {
  EXPECT_TRUE(looks_into_json("const JsonView workload = json.at(\"workload\");"));
  EXPECT_TRUE(looks_into_json("if (scenario.source.find(\"host\") != nullptr) return;"));
  EXPECT_FALSE(looks_into_json("job.scenario_echo = scenario.source;  // no JsonView"));
}

TEST(Readers, OfAScenarioAreTheOnlyFilesOfItsChainThatLookIntoJson) {
  for (const SourceFile& file :
       find_sources({"include/foreflow/scenario", "include/foreflow/workload", "src/scenario", "src/workload"},
                    {".h", ".cpp"})) {
    if (is_reader(file)) continue;
    for (const Line& line : file.lines)
      EXPECT_FALSE(looks_into_json(line.text)) << file.path << ":" << line.number << ": " << line.text;
  }
}

TEST(Readers, ExistWhereTheListNamesThem) {
  const auto files = find_sources({"include", "src"}, {".h", ".cpp"});
  for (const std::string& reader : kReaders) {
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [&](const SourceFile& file) {
      return file.path == reader || file.folder() == reader;
    })) << reader;
  }
}

}  // namespace
}  // namespace foreflow::layers::readers_test
