// What the commands write to files, and their exit codes. What they print is in tests/golden.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "foreflow/base/json.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/text.h"
#include "foreflow/onnx/tensor_file.h"
#include "foreflow/ops/table.h"
#include "support/command.h"
#include "support/shared.h"
#include "support/temporary.h"

namespace foreflow::commands_test {
namespace {

using test::CommandResult;
using test::run_foreflow;
using test::TemporaryFolder;
using testing::HasSubstr;

constexpr std::string_view kScenario =
    R"({ "workload": { "model": "mlp", "layers": 4, "hidden": 64 }, "platform": { "topology": "dgx2" },
         "strategy": { "dp": 2, "tp": 2, "global_batch": 32 } })";

constexpr std::string_view kRelu = R"(func @f(%x: Tensor[Float32, (4,)]) {
  %y = Relu(%x)
  return %y
}
)";

TEST(Simulate, WritesEveryReportToItsFile) {
  const TemporaryFolder folder;
  write_file(folder / "s.json", kScenario);
  const CommandResult result = run_foreflow({"simulate", "s.json", "--json", "r.json", "--trace", "t.json", "--csv",
                                             "r.csv", "--html", "r.html", "--svg", "r.svg"},
                                            folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("iteration"));
  EXPECT_GT(JsonView(parse_json(read_file(folder / "r.json"), "r.json"), "r.json").at("iteration_time_s").as_number(),
            0);
  EXPECT_TRUE(parse_json(read_file(folder / "t.json"), "t.json").if_object() != nullptr);
  EXPECT_THAT(read_file(folder / "r.csv"), HasSubstr("MPIAllreduce"));
  EXPECT_THAT(read_file(folder / "r.html"), HasSubstr("<html"));
  EXPECT_THAT(read_file(folder / "r.svg"), HasSubstr("<svg"));
}

TEST(Workload, WritesGpt2AsGraphOrAsTheProgramThatIsImportedOfIt) {
  const TemporaryFolder folder;
  for (const char* file : {"g.onnx", "g.distir"})
    ASSERT_EQ(run_foreflow({"workload", "gpt2", "--layers", "2", "-o", file}, folder.path()).exit_code, 0) << file;
  ASSERT_EQ(run_foreflow({"import", "g.onnx", "-o", "imported.distir"}, folder.path()).exit_code, 0);
  EXPECT_EQ(run_foreflow({"check", "g.distir"}, folder.path()).exit_code, 0);
  EXPECT_EQ(
      ir::parse(read_file(folder / "g.distir"), "g.distir", ops::table()).functions.back().ops.size(),
      ir::parse(read_file(folder / "imported.distir"), "imported.distir", ops::table()).functions.back().ops.size());
}

TEST(Simulate, PrintsOnlyJsonWhenItGoesToStdout) {
  const TemporaryFolder folder;
  write_file(folder / "s.json", kScenario);
  const CommandResult first  = run_foreflow({"simulate", "s.json", "--json", "-"}, folder.path());
  const CommandResult second = run_foreflow({"simulate", "s.json", "--json", "-"}, folder.path());
  const Json json            = parse_json(first.out, "stdout");
  for (const char* key : {"scenario", "engine", "iteration_time_s", "throughput_samples_per_s",
                          "tokens_per_s_per_device", "model_flops_per_s_per_device", "hardware_flops_per_s_per_device",
                          "mfu", "fits", "devices", "links", "critical_path", "cost_provenance", "events"}) {
    EXPECT_NE(json.find(key), nullptr) << key;
  }
  EXPECT_EQ(json.find("wall_time_s"), nullptr);
  EXPECT_EQ(first.out, second.out);
}

TEST(Simulate, AddsItsOwnTimeWhenAsked) {
  const TemporaryFolder folder;
  write_file(folder / "s.json", kScenario);
  const Json json =
      parse_json(run_foreflow({"simulate", "s.json", "--timing", "--json", "-"}, folder.path()).out, "stdout");
  EXPECT_GT(JsonView(json, "stdout").at("wall_time_s").as_number(), 0);
  EXPECT_GT(JsonView(json, "stdout").at("peak_rss_bytes").as_number(), 1e6);
}

TEST(Simulate, TakesOverrides) {
  const TemporaryFolder folder;
  write_file(folder / "s.json", kScenario);
  const Json json = parse_json(run_foreflow({"simulate", "s.json", "--set", "strategy.dp=4", "--set", "name=four",
                                             "--json", "-", "--devices", "all"},
                                            folder.path())
                                   .out,
                               "stdout");
  EXPECT_EQ(JsonView(json, "stdout").at("devices").items().size(), 8U);
  EXPECT_EQ(JsonView(json, "stdout").at("scenario").at("name").as_string(), "four");
}

TEST(Search, WritesTheSameBytesForAnyNumberOfWorkers) {
  const TemporaryFolder folder;
  write_file(folder / "s.json", kScenario);
  std::vector<std::string> answers;
  for (const char* jobs : {"1", "3"}) {
    const CommandResult result =
        run_foreflow({"search", "s.json", "--set", "strategy={\"global_batch\": 32, \"pp\": 1}", "--set",
                      "engine=analytic", "--jobs", jobs, "--json", "-"},
                     folder.path());
    ASSERT_EQ(result.exit_code, 0) << result.err;
    answers.push_back(result.out);
  }
  EXPECT_EQ(answers[0], answers[1]);
  for (const char* key : {"evaluated", "pruned", "infeasible", "ranked", "pareto"})
    EXPECT_THAT(answers[0], HasSubstr(key));
}

TEST(Evaluate, ComparesWithWhatIsExpected) {
  const TemporaryFolder folder;
  write_file(folder / "f.distir", kRelu);
  onnx::write_tensor_file(folder / "x.pb", {"x", ir::Array::of_floats({4}, {-1, 2, -3, 4})});
  onnx::write_tensor_file(folder / "y.pb", {"y", ir::Array::of_floats({4}, {0, 2, 0, 4})});
  const CommandResult same = run_foreflow(
      {"evaluate", "f.distir", "--input", "x=x.pb", "--expect", "y=y.pb", "--output", "out"}, folder.path());
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_EQ(onnx::read_tensor_file(folder / "out/output_0.pb").array, ir::Array::of_floats({4}, {0, 2, 0, 4}));

  const CommandResult other =
      run_foreflow({"evaluate", "f.distir", "--input", "x=x.pb", "--expect", "y=x.pb", "--json", "-"}, folder.path());
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_EQ(
      other.err,
      "foreflow: error: f.distir: 1 of 1 outputs differ by more than 1e-07 + 0.001 x |expected|, the first is y\n");
  const Json json       = parse_json(other.out, "stdout");
  const JsonView output = JsonView(json, "stdout").at("outputs").items().front();
  EXPECT_EQ(output.at("max_abs_error").as_number(), 3);
  EXPECT_FALSE(output.at("ok").as_bool());
}

// One of ONNX's own tests of each kind of number; the whole folder is the work of `onnx_backend`.
TEST(Evaluate, RunsOnnxsOwnTests) {
  const std::filesystem::path node = "/usr/share/libonnx-testdata/data/node";
  if (!std::filesystem::is_directory(node)) GTEST_SKIP() << "libonnx-testdata is not installed";
  struct Case {
    std::string test;
    std::vector<std::string> inputs;
    std::string output;
  };
  const std::vector<Case> cases = {{"test_matmul_3d", {"a", "b"}, "c"},
                                   {"test_add_uint8", {"x", "y"}, "sum"},
                                   {"test_bitshift_right_uint64", {"x", "y"}, "z"},
                                   {"test_cast_BFLOAT16_to_FLOAT", {"input"}, "output"}};
  for (const Case& one : cases) {
    const auto run = [&](const std::string& expected) {
      std::vector<std::string> words{"evaluate", "model.onnx"};
      for (size_t i = 0; i < one.inputs.size(); ++i) {
        words.insert(words.end(), {"--input", fmt::format("{}=test_data_set_0/input_{}.pb", one.inputs[i], i)});
      }
      words.insert(words.end(), {"--expect", one.output + "=test_data_set_0/" + expected});
      return run_foreflow(words, node / one.test);
    };
    EXPECT_EQ(run("output_0.pb").exit_code, 0) << one.test;
    EXPECT_EQ(run("input_0.pb").exit_code, 1) << one.test;
  }
}

TEST(Evaluate, NamesTheInputThatIsMissingOrUnknown) {
  const TemporaryFolder folder;
  write_file(folder / "f.distir", kRelu);
  onnx::write_tensor_file(folder / "x.pb", {"x", ir::Array::of_floats({4}, {-1, 2, -3, 4})});
  EXPECT_EQ(run_foreflow({"evaluate", "f.distir"}, folder.path()).err,
            "foreflow: error: f.distir: %x has no numbers; give --input x=FILE.pb\n");
  EXPECT_EQ(run_foreflow({"evaluate", "f.distir", "--input", "z=x.pb"}, folder.path()).err,
            "foreflow: error: --input z: @f has no such parameter; use x\n");
}

TEST(Programs, AreNotWrittenToFilesNamedOtherwise) {
  const TemporaryFolder folder;
  write_file(folder / "f.distir", kRelu);
  const auto told = [&](const std::vector<std::string>& words) { return run_foreflow(words, folder.path()).err; };
  const std::string refused = ": writes a program; name it FILE.distir or FILE.distirb\n";
  EXPECT_EQ(told({"import", "g.onnx", "-o", "x.onnx"}), "foreflow: error: -o x.onnx" + refused);
  EXPECT_EQ(told({"transform", "f.distir", "--pass", "differentiate", "-o", "x.json"}),
            "foreflow: error: -o x.json" + refused);
  EXPECT_FALSE(std::filesystem::exists(folder / "x.json"));
  EXPECT_EQ(told({"transform", "f.distir", "--pass", "resolve", "-o", "x.txt"}), "");
}

TEST(Import, CountsAModelAndWritesItsProgram) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_foreflow({"workload", "gpt2", "--layers", "1", "--hidden", "64", "--heads", "4", "-o", "g.onnx"},
                         folder.path())
                .exit_code,
            0);
  const CommandResult result =
      run_foreflow({"import", "g.onnx", "--shape", "input1=2,1,16", "-o", "g.distir", "--json", "-"}, folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(result.out, "stdout");
  EXPECT_EQ(JsonView(json, "stdout").at("nodes").as_int(), 32 + 211 + 17);
  EXPECT_EQ(JsonView(json, "stdout").at("ops").at("Gemm").as_int(), 4);
  EXPECT_TRUE(JsonView(json, "stdout").at("unresolved").items().empty());
  EXPECT_EQ(run_foreflow({"check", "g.distir"}, folder.path()).exit_code, 0);
}

// On the line of a family, which is no measurement of this very message.
TEST(Provenance, OfCalibratedMessagesIsTheSameEverywhere) {
  const TemporaryFolder folder;
  write_file(folder / "s.json", kScenario);
  write_file(folder / "c.json",
             R"({ "model": "calibrated", "families": [ { "op": "MPIAllreduce", "dtype": "f32", "ranks": 2,
                  "fixed": "5us", "bandwidth": "50GBps", "points": [] } ] })");
  const auto ask = [&](const char* command) {
    return run_foreflow({command, "s.json", "--set", "cost.model=c.json"}, folder.path()).out;
  };
  EXPECT_THAT(ask("simulate"), HasSubstr("; compute priced by roofline 100.0 %; messages by regression 100.0 %; "));
  EXPECT_THAT(ask("explain"), testing::ContainsRegex("\n  all-reduce [^\n]* regression\n"));
  EXPECT_THAT(ask("events"), testing::ContainsRegex("  regression +intra-node +MPIAllreduce"));
  EXPECT_THAT(ask("events"), HasSubstr("  0 are measured,"));
  const Json json = parse_json(
      run_foreflow({"simulate", "s.json", "--set", "cost.model=c.json", "--json", "-"}, folder.path()).out, "stdout");
  EXPECT_EQ(json.find("message_provenance")->dump_compact(), R"({"regression":1.0})");
}

// onnx/onnx ships light models, in which ConstantOfShape ops stand for the numbers of weights.
TEST(Import, CountsTheWeightsThatALightModelLeavesOut) {
  FOREFLOW_SHARED_OR_SKIP(model, "onnx/models/light_resnet50.onnx");
  const CommandResult result = run_foreflow({"import", model.string(), "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(result.out, "stdout");
  EXPECT_EQ(JsonView(json, "stdout").at("parameters").as_int(), 25557032) << "as torchvision's";
}

TEST(Import, SaysWhereTheWeightsOfAModelWithoutAnyMayBe) {
  FOREFLOW_SHARED_OR_SKIP(model, "onnx/models/llama_fwd_small.onnx");
  EXPECT_THAT(run_foreflow({"import", model.string()}).out,
              HasSubstr("\nparameters  0; the file has no weights, which may be among its inputs: a scenario names "
                        "them in workload.weights\n"));
}

TEST(Import, SaysThatArithmeticOfUnknownShapesIsLeftOut) {
  FOREFLOW_SHARED_OR_SKIP(model, "onnx/models/bert_vespa.onnx");
  EXPECT_THAT(run_foreflow({"import", model.string()}).out,
              testing::ContainsRegex("\nflops       [0-9.]+ [kMG]?FLOP of the ops whose shapes are known; give the "
                                     "inputs' shapes with --shape or --dim for that of the others\n"));
  EXPECT_THAT(run_foreflow({"import", model.string(), "--dim", "batch=2", "--dim", "tokens=16"}).out,
              testing::ContainsRegex("\nflops       [0-9.]+ kFLOP\n"));
}

std::string refusal_of_batch(const std::string& workload, const std::string& batch) {
  const TemporaryFolder folder;
  write_file(folder / "s.json", R"({ "workload": )" + workload +
                                    R"(, "platform": { "topology": "dgx2" }, "strategy": { "dp": 2, "global_batch": )" +
                                    batch + " } }");
  return run_foreflow({"simulate", "s.json"}, folder.path()).err;
}

TEST(Batch, ThatDiffersFromTheStatedDimensionNamesIt) {
  FOREFLOW_SHARED_OR_SKIP(model, "onnx/models/bert_vespa.onnx");
  EXPECT_THAT(refusal_of_batch(R"({ "onnx": ")" + model.string() + R"(", "dims": { "batch": 2, "tokens": 16 } })", "6"),
              HasSubstr("or would mix them; set workload.dims.batch to 6 as well\n"));
}

TEST(Batch, ThatIsLeftOpenAsksForTheNamesOfTheDimensions) {
  FOREFLOW_SHARED_OR_SKIP(model, "onnx/models/bert_vespa.onnx");
  EXPECT_THAT(
      refusal_of_batch(R"({ "onnx": ")" + model.string() + R"(" })", "6"),
      HasSubstr(R"(the model leaves the shape of input "input_ids" open: [batch, tokens]; give it as numbers, or )"
                R"(the sizes of its names in "dims", such as "workload": {"dims": {"batch":8,"tokens":512}})"
                "\n"));
}

// Samples are then counted along the weight of a norm.
TEST(Batch, OfAModelWithoutWeightsAsksForTheirNames) {
  FOREFLOW_SHARED_OR_SKIP(model, "onnx/models/llama_fwd_small.onnx");
  for (const char* batch : {"2", "1024", "2048"}) {
    EXPECT_THAT(refusal_of_batch(R"({ "onnx": ")" + model.string() + R"(" })", batch),
                HasSubstr("; the file has no weights, which may be among its inputs: name them in workload.weights\n"))
        << batch;
  }
}

// Without a strategy the samples are those of the file, whose first input is a weight.
TEST(Batch, OfAModelWithoutWeightsIsInDoubt) {
  FOREFLOW_SHARED_OR_SKIP(model, "onnx/models/llama_fwd_small.onnx");
  const TemporaryFolder folder;
  const auto said = [&](const std::string& more) {
    write_file(folder / "s.json", R"({"workload": {"onnx": ")" + model.string() + "\"" + more +
                                      R"(}, "platform": {"topology": "dgx_a100"}, "strategy": {}})");
    return run_foreflow({"simulate", "s.json"}, folder.path()).err;
  };
  EXPECT_THAT(said(""),
              testing::ContainsRegex("foreflow: note: samples are counted along the first dimension of %[^ ]+, "
                                     "1024, and that of %[^ ]+ is [0-9]+; the file has no weights, which may be "
                                     "among its inputs: name them in workload.weights\n"));
  EXPECT_THAT(said(R"(, "weights": "*")"), testing::Not(HasSubstr("name them in workload.weights")));
}

TEST(Lower, WritesAProgramAndAStreamForEachRank) {
  const TemporaryFolder folder;
  write_file(folder / "s.json", kScenario);
  const CommandResult result = run_foreflow({"lower", "s.json", "-o", "ranks"}, folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* rank : {"D1", "D2", "D3", "D4"}) {
    const std::string name  = std::string("ranks/") + rank;
    const ir::Module module = ir::parse(read_file(folder / (name + ".distir")), name, ops::table());
    EXPECT_FALSE(module.functions.empty());
    EXPECT_THAT(read_file(folder / (name + ".stream")), HasSubstr("MPIAllreduce"));
  }
  EXPECT_THAT(read_file(folder / "ranks/events.stream"), HasSubstr("compute 0"));
}

}  // namespace
}  // namespace foreflow::commands_test
