// The command with hostile names in its scenario, its platform and its words: every file and stream that it writes.
#include <gtest/gtest.h>

#include <filesystem>

#include "foreflow/base/json.h"
#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/hostile_names.h"
#include "support/strict_readers.h"
#include "support/temporary.h"

namespace foreflow::hostile_command_test {
namespace {

using test::CommandResult;
using test::HostileName;
using test::run_foreflow;

// Two devices whose names, nodes, kinds and links are hostile in XML's own way.
constexpr std::string_view kPlatform = R"xml(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Dijkstra">
  <host id="=a&#10;&lt;b&gt;&#27;[2J&quot;" speed="1Tf"><prop id="kind" value="&#155;K&amp;&#10;"/>
    <prop id="node" value="n&#10;&lt;i&gt;"/>
    <prop id="memory" value="16GiB"/><prop id="memory_bandwidth" value="100GBps"/>
    <prop id="peak_f32" value="1Tf"/><prop id="launch" value="1us"/></host>
  <host id="@b&#x202e;" speed="1Tf"><prop id="kind" value="&#155;K&amp;&#10;"/>
    <prop id="node" value="n&#10;&lt;i&gt;"/>
    <prop id="memory" value="16GiB"/><prop id="memory_bandwidth" value="100GBps"/>
    <prop id="peak_f32" value="1Tf"/><prop id="launch" value="1us"/></host>
  <link id="l&#10;&lt;u&gt;&#7;,&quot;" bandwidth="10GBps" latency="1us"><prop id="kind" value="w&#10;&#27;c"/></link>
  <route src="=a&#10;&lt;b&gt;&#27;[2J&quot;" dst="@b&#x202e;"><link_ctn id="l&#10;&lt;u&gt;&#7;,&quot;"/></route>
</zone></platform>
)xml";

std::string scenario_of(const std::string& name) {
  Json json = Json::object().set("name", name);
  json.set("workload", Json::object().set("model", "mlp").set("layers", 2).set("hidden", 64));
  json.set("platform", Json::object().set("file", "p.xml"));
  json.set("strategy", Json::object().set("dp", 2).set("global_batch", 4));
  return json.set("engine", "analytic").dump();
}

class Command : public testing::Test {
 protected:
  Command() { write_file(folder_ / "p.xml", kPlatform); }

  std::string read(const std::string& file) const { return read_file(folder_ / file); }
  // What only a name that became a command would make.
  void expect_nothing_owned() const { EXPECT_FALSE(std::filesystem::exists(folder_ / "owned")); }

  const test::TemporaryFolder folder_;
};

TEST_F(Command, WritesHostileScenariosAsItWritesOthers) {
  std::vector<std::string> script;
  std::vector<HostileName> names = {{"Harmless", test::kHarmlessName}};
  names.insert(names.end(), test::hostile_names().begin(), test::hostile_names().end());
  size_t lines = 0;
  for (const HostileName& name : names) {
    SCOPED_TRACE(name.label);
    write_file(folder_ / "s.json", scenario_of(name.bytes));
    const CommandResult result =
        run_foreflow({"simulate", "s.json", "--json", "j", "--csv", "c", "--html", "h", "--svg", "v", "--trace", "t"},
                     folder_.path());
    ASSERT_EQ(result.exit_code, 0) << result.err;
    try {
      const size_t count = test::read_terminal(result.out);
      if (lines == 0) lines = count;
      EXPECT_EQ(count, lines) << result.out;
      test::read_terminal(result.err);
      for (const char* file : {"j", "c", "h", "v", "t"}) test::read_terminal(read(file));
      const Json echo = parse_json(read("s.json"), "s");
      EXPECT_EQ(*parse_json(read("j"), "j").find("scenario")->find("name")->if_string(),
                *echo.find("name")->if_string());
      EXPECT_NE(parse_json(read("t"), "t").find("traceEvents"), nullptr);
      test::read_csv(read("c"));
      for (const char* file : {"h", "v"}) EXPECT_FALSE(test::read_markup(read(file)).structure.contains("script"));
    } catch (const test::ReadError& error) {
      ADD_FAILURE() << error.what();
    }
    const CommandResult lowered =
        run_foreflow({"lower", "s.json", "--target", "pytorch", "-o", "ranks"}, folder_.path());
    ASSERT_EQ(lowered.exit_code, 0) << lowered.err;
    std::vector<std::string> own = split(read("ranks/run.py"), '\n');
    own[1]                       = "";
    if (script.empty()) script = own;
    EXPECT_EQ(own, script);
    expect_nothing_owned();
  }
}

TEST_F(Command, DescribesAHostilePlatform) {
  const CommandResult described = run_foreflow({"platform", "p.xml"}, folder_.path());
  ASSERT_EQ(described.exit_code, 0) << described.err;
  EXPECT_NO_THROW(test::read_terminal(described.out)) << described.out;
  ASSERT_EQ(run_foreflow({"platform", "p.xml", "--draw", "-o", "p.svg"}, folder_.path()).exit_code, 0);
  ASSERT_EQ(run_foreflow({"platform", "p.xml", "--draw", "-o", "p.dot"}, folder_.path()).exit_code, 0);
  EXPECT_FALSE(test::read_markup(read("p.svg")).structure.contains("b"));
  EXPECT_NO_THROW(test::read_dot(read("p.dot")));
}

// Whatever the words of the command line are, the answer is one line.
TEST_F(Command, ComplainsInOneLine) {
  for (const HostileName& name : test::hostile_names()) {
    SCOPED_TRACE(name.label);
    if (name.bytes.find('\0') != std::string::npos) continue;                  // no word of a command line
    const std::string word                               = "a " + name.bytes;  // no option
    const std::vector<std::vector<std::string>> commands = {{"simulate", word + ".json"},
                                                            {"platform", word + ".xml"},
                                                            {"simulate", "s.json", "--set", "engine=" + name.bytes},
                                                            {"transform", "--pass", word, "no.distir"}};
    write_file(folder_ / "s.json", scenario_of("x"));
    for (const std::vector<std::string>& words : commands) {
      const CommandResult result = run_foreflow(words, folder_.path());
      EXPECT_EQ(result.exit_code, 1) << result.out;
      EXPECT_TRUE(result.err.starts_with("foreflow: error: ")) << result.err;
      EXPECT_EQ(test::read_terminal(result.err), 1u) << result.err;
      EXPECT_EQ(result.out, "");
    }
    const CommandResult unknown = run_foreflow({word});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_EQ(test::read_terminal(unknown.err), 1u) << unknown.err;
  }
}

// The two devices as two meshes of one.
TEST_F(Command, ReshardsOnHostilePlatforms) {
  const CommandResult result =
      run_foreflow({"reshard", "--shape",    "8", "--src-mesh",    "1", "--src-spec",    "R", "--dst-mesh",
                    "1",       "--dst-spec", "R", "--src-devices", "0", "--dst-devices", "1", "--platform",
                    "p.xml",   "--json",     "j", "--svg",         "v", "--trace",       "t"},
                   folder_.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_GT(test::read_terminal(result.out), 10U);
  for (const char* file : {"j", "v", "t"}) test::read_terminal(read(file));
  EXPECT_EQ(*parse_json(read("j"), "j").find("senders")->if_array()->front().if_string(), "=a\n<b>\x1b[2J\"");
  EXPECT_FALSE(test::read_markup(read("v")).structure.contains("script"));
  expect_nothing_owned();
}

}  // namespace
}  // namespace foreflow::hostile_command_test
