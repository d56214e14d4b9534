// Scripts in several processes: what all ranks compute together is what the reference executor computes.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "foreflow/base/text.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"
#include "foreflow/lower/pytorch.h"
#include "foreflow/lower/reshard_op.h"
#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/simplify.h"
#include "property/op_samples.h"
#include "pytorch/scripts.h"
#include "support/cluster.h"
#include "support/distribution.h"
#include "support/shared.h"

namespace foreflow::test {
namespace {

constexpr int64_t kBatch = 8, kVocabulary = 11;

ir::Module training(const std::string& name, const std::string& sizes, const std::string& optimizer) {
  const ir::Module forward = family(name, sizes, kBatch, workload::Mode::training);
  return transform::add_optimizer(transform::differentiate(forward, ops::table()), ops::table(), optimizer);
}

// Gradients as results: errors in them are not hidden behind the weights that they change.
ir::Module gradients(const std::string& name, const std::string& sizes) {
  return transform::differentiate(family(name, sizes, kBatch, workload::Mode::training), ops::table());
}

const std::string kMlp = R"({"layers": 4, "hidden": 8})";
const std::string kGpt = R"({"layers": 4, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11})";

ir::Module mlp() { return training("mlp", kMlp, "sgd"); }

ir::Module gpt() { return training("gpt", kGpt, "adam"); }

ir::Module gpt2_graph() {
  const std::string bytes =
      onnx::write_gpt2({.layers = 2, .heads = 2, .hidden = 8, .vocabulary = kVocabulary, .positions = 4});
  const onnx::Imported imported = onnx::import_bytes(bytes, "gpt2", ops::table());
  return scenario::with_shapes(imported, {{imported.inputs.front().name, {kBatch, 1, 4}}}, "test");
}

// Cases in folders of their own, run by one Python process one after the other.
class Cases {
 public:
  explicit Cases(std::string python) : python_(std::move(python)) {}

  void add(const std::string& name, const ir::Module& module, const std::vector<ir::Array>& arguments) {
    const std::string folder = folder_ / name;
    words_.push_back(folder + ":" + std::to_string(write_case(folder, module, arguments)));
  }

  void add_split(const std::string& name, const ir::Module& original, const Split& split) {
    std::mt19937_64 random(20260);
    const ir::Module module          = transform::eliminate_dead_code(transform::resolve(original));
    std::vector<ir::Array> arguments = random_arguments(module, random, kVocabulary);
    const auto steps                 = distribute(module, split);
    for (const transform::Distributed& step : steps) arguments = transform::split_arguments(step.parameters, arguments);
    add(name, steps.back().module, arguments);
  }

  // By the plan of a strategy of resharding, on a machine with a node for every two ranks.
  void add_resharded(const std::string& name, const ir::Module& original, const Split& split,
                     const reshard::StrategyDef& strategy) {
    std::mt19937_64 random(20260);
    const ir::Module module          = transform::eliminate_dead_code(transform::resolve(original));
    std::vector<ir::Array> arguments = random_arguments(module, random, kVocabulary);
    const auto steps                 = distribute(module, split);
    for (const transform::Distributed& step : steps) arguments = transform::split_arguments(step.parameters, arguments);
    const platform::Platform machine = test::cluster({0, 0, 1, 1, 2, 2, 3, 3});
    lower::Options options;
    options.resharding    = &strategy;
    const ir::Module& all = steps.back().module;
    add(name,
        lower::with_reshard_jobs(all, interpret::interpret_mixed(all, all.functions.size() - 1), {machine}, options),
        arguments);
  }

  void expect_success(const std::string& tolerance) {
    std::vector<std::string> arguments{FOREFLOW_SOURCE_DIR "/tests/pytorch/run_ranks.py", tolerance};
    arguments.insert(arguments.end(), words_.begin(), words_.end());
    const PythonResult result = run_python(python_, arguments);
    EXPECT_EQ(result.exit_code, 0) << result.text;
    std::cout << result.text;
  }

  const TemporaryFolder& folder() const { return folder_; }

 private:
  std::string python_;
  TemporaryFolder folder_;
  std::vector<std::string> words_;
};

TEST(PyTorch, TrainsAnMlpOnSeveralRanksAsTheReferenceExecutorDoes) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  Cases cases(python);
  cases.add_split("dp2", gradients("mlp", kMlp), {.dp = 2});
  cases.add_split("tp4", mlp(), {.tp = 4});
  cases.add_split("pp2", mlp(), {.pp = 2, .microbatches = 4});
  cases.add_split("dp2_tp2_pp2", mlp(), {.dp = 2, .tp = 2, .pp = 2, .microbatches = 2, .schedule = "gpipe"});
  cases.add_split("zero1", mlp(), {.dp = 2, .zero = 1, .bucket = Bytes(1e6)});
  cases.add_split("zero3", mlp(), {.dp = 2, .microbatches = 2, .zero = 3, .overlap = true});
  cases.add_split("streams", mlp(), {.tp = 2, .pp = 2, .microbatches = 2, .sends = true, .chunks = 2});
  cases.expect_success("1e-5");
}

TEST(PyTorch, TrainsAGptOnSeveralRanksAsTheReferenceExecutorDoes) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  Cases cases(python);
  cases.add_split("tp2", gradients("gpt", kGpt), {.tp = 2});
  cases.add_split("dp2_pp2", gpt(), {.dp = 2, .pp = 2, .microbatches = 2});
  cases.add_split("dp2_tp2_pp2", gpt(), {.dp = 2, .tp = 2, .pp = 2, .microbatches = 4});
  cases.expect_success("1e-5");
}

TEST(PyTorch, TrainsExpertsOnSeveralRanksAsTheReferenceExecutorDoes) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  const std::string moe =
      R"({"layers": 2, "hidden": 8, "heads": 4, "kv_heads": 2, "feed_forward": 6, "sequence": 4, "vocabulary": 11,
                              "experts": 4, "routing_groups": 2, "shared_experts": 1, "balance_loss": 0.5})";
  Cases cases(python);
  cases.add_split("ep2", gradients("moe", moe), {.dp = 2, .ep = 2});
  cases.add_split("cp2_ep4", gradients("moe", moe), {.dp = 2, .cp = 2, .ep = 4});
  cases.add_split("tp2_pp2_ep2", training("moe", moe, "adam"), {.dp = 2, .tp = 2, .pp = 2, .microbatches = 2, .ep = 2});
  cases.expect_success("1e-5");
}

TEST(PyTorch, RunsTheGpt2GraphOnSeveralRanksAsTheReferenceExecutorDoes) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  Cases cases(python);
  std::mt19937_64 random(20260);
  // As imported: with its shape arithmetic.
  cases.add("one", gpt2_graph(), random_arguments(gpt2_graph(), random, kVocabulary));
  cases.add_split("tp2_pp2", gpt2_graph(), {.tp = 2, .pp = 2, .microbatches = 2});
  cases.expect_success("1e-5");
}

// Graphs of real exports, with random weights: convolutions and pools, and an encoder with its shape arithmetic.
TEST(PyTorch, RunsImportedModelsAsTheReferenceExecutorDoes) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  FOREFLOW_SHARED_OR_SKIP(bert, "onnx/models/bert_vespa.onnx");
  FOREFLOW_SHARED_OR_SKIP(squeezenet, "onnx/models/light_squeezenet.onnx");
  Cases cases(python);
  std::mt19937_64 random(20260);
  const ir::Module encoder =
      scenario::with_shapes(onnx::import_model(bert.string(), ops::table()),
                            {{"input_ids", {2, 8}}, {"attention_mask", {2, 8}}, {"token_type_ids", {2, 8}}}, "test");
  cases.add("bert", encoder, random_arguments(encoder, random, 2));
  const ir::Module vision = onnx::import_model(squeezenet.string(), ops::table()).module;
  cases.add("squeezenet", vision, random_arguments(vision, random, 2));
  cases.expect_success("1e-5");
}

// Gives the operands of a Reshard that hold the same slice, because the spec does not name the mesh dimension in which
// they differ, the same numbers.
void share_replicas(const ir::OpDef::Sample& sample, std::vector<Operand>& operands) {
  const auto mesh        = sample.attributes.get_ints("source_mesh");
  const std::string spec = std::get<std::string>(*sample.attributes.find("source_spec"));
  std::map<std::vector<size_t>, size_t> first;
  for (size_t place = 0; place < operands.size(); ++place) {
    std::vector<size_t> slice;
    size_t rest = place;
    for (size_t axis = mesh.size(); axis-- > 0;) {
      const auto size = static_cast<size_t>(mesh[axis]);
      if (spec.find(std::to_string(axis)) != std::string::npos) slice.push_back(rest % size);
      rest /= size;
    }
    operands[place].array = operands[first.try_emplace(slice, place).first->second].array;
  }
}

// Every sample of every communication op, one after the other, on four ranks.
TEST(PyTorch, CommunicatesAsTheReferenceKernelsDo) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  ir::FunctionBuilder builder("all", ops::table());
  std::mt19937_64 random(3);
  std::vector<ir::Array> arguments;
  struct Use {
    const ir::OpDef* def;
    ir::OpDef::Sample sample;
    std::vector<ir::ValueId> inputs;
  };
  std::vector<Use> uses;
  for (const ir::OpDef& def : ops::table()) {
    if (def.role != ir::Role::communication) continue;
    for (const ir::OpDef::Sample& sample : def.samples()) {
      uses.push_back({&def, sample, {}});
      std::vector<Operand> operands = random_operands(sample, random);
      if (def.name == "Reshard") share_replicas(sample, operands);
      for (const Operand& operand : operands) {
        uses.back().inputs.push_back(builder.parameter("x", ir::ParameterRole::data, operand.type));
        arguments.push_back(operand.array);
      }
    }
  }
  std::vector<ir::ValueId> results;
  for (const Use& use : uses) {
    const auto outputs = builder.emit(use.def->name, use.inputs, use.sample.attributes, use.sample.outputs);
    results.insert(results.end(), outputs.begin(), outputs.end());
  }
  ir::Module module;
  module.functions.push_back(builder.finish(results));
  Cases cases(python);
  cases.add("all", module, arguments);
  cases.expect_success("1e-6");
}

// Every sample of Reshard, and one of several receivers on two hosts, by the plan of every strategy.
TEST(PyTorch, ReshardsByThePlanOfEveryStrategy) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  const platform::Platform machine       = test::cluster({0, 0, 1, 1, 2, 2, 3});
  std::vector<ir::OpDef::Sample> samples = ops::table().get("Reshard", "test").samples();
  samples.push_back({.attributes = {{"source_mesh", std::vector<int64_t>{2}},
                                    {"source_spec", std::string("S0R")},
                                    {"target_mesh", std::vector<int64_t>{2, 2}},
                                    {"target_spec", std::string("RS1")},
                                    {"to", std::vector<int64_t>{3, 4, 5, 6}}},
                     .inputs     = std::vector<ir::Type>(2, ir::Type::tensor(ir::DType::f32, {3, 4})),
                     .outputs    = 4});
  for (size_t i = 0; i < 2; ++i) samples.back().inputs[i].device = ir::Device{static_cast<int32_t>(i) + 1};
  Cases cases(python);
  size_t broadcasts = 0, gathers = 0;
  for (const reshard::StrategyDef& strategy : reshard::strategies()) {
    if (!strategy.moves_data) continue;
    std::mt19937_64 random(3);
    ir::FunctionBuilder builder("all", ops::table());
    std::vector<ir::Array> arguments;
    std::vector<std::pair<const ir::OpDef::Sample*, std::vector<ir::ValueId>>> uses;
    for (const ir::OpDef::Sample& sample : samples) {
      std::vector<Operand> operands = random_operands(sample, random);
      share_replicas(sample, operands);
      uses.push_back({&sample, {}});
      for (const Operand& operand : operands) {
        uses.back().second.push_back(builder.parameter("x", ir::ParameterRole::data, operand.type));
        arguments.push_back(operand.array);
      }
    }
    std::vector<ir::ValueId> results;
    for (const auto& [sample, inputs] : uses) {
      const auto outputs = builder.emit("Reshard", inputs, sample->attributes, sample->outputs);
      results.insert(results.end(), outputs.begin(), outputs.end());
    }
    ir::Module module;
    module.functions.push_back(builder.finish(results));
    lower::Options options;
    options.resharding = &strategy;
    const ir::Module planned =
        lower::with_reshard_jobs(module, interpret::interpret_mixed(module, 0), {machine}, options);
    const std::string text = ir::print(planned);
    broadcasts += text.find("broadcast ") != std::string::npos ? 1 : 0;
    gathers += text.find("all_gather ") != std::string::npos ? 1 : 0;
    cases.add(std::string(strategy.name), planned, arguments);
  }
  EXPECT_GT(broadcasts, 0U);
  EXPECT_GT(gathers, 0U);
  cases.expect_success("0");
}

// A GPT whose stages are sharded in different ways. Its embedding is in both, so gradients are resharded, too.
TEST(PyTorch, TrainsAGptInUnequalStagesByThePlanOfEveryStrategy) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  const std::string sizes = R"({"layers": 2, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 12})";
  Cases cases(python);
  for (const reshard::StrategyDef& strategy : reshard::strategies()) {
    if (!strategy.moves_data) continue;
    cases.add_resharded("tp_4_2_" + std::string(strategy.name), gradients("gpt", sizes),
                        {.microbatches = 2, .stage_tp = {4, 2}}, strategy);
  }
  cases.add_resharded("cp_1_2", gradients("gpt", sizes), {.microbatches = 2, .stage_tp = {2, 1}, .stage_cp = {1, 2}},
                      *reshard::strategies().begin());
  cases.expect_success("1e-5");
}

// As a user runs it: with torchrun or by itself, weights and expected results from files, times of the ops.
TEST(PyTorch, RunsWithAndWithoutTorchrunAndTimesEveryOp) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  const ir::Module module = ir::parse(R"(func @dense(%w, %x) {
  %y = MatMul(%x, %w)
  %a = Relu(%y)
  return %a
}

func @two(%w1: Tensor[Float32, (4, 4), 1], %w2: Tensor[Float32, (4, 4), 2], %x: Tensor[Float32, (2, 4), 1]) {
  %a = @dense(%w1, %x)
  %b = Send(%a, 2)
  %c = @dense(%w2, %b)
  return %c
}
)",
                                      "two.distir", ops::table());
  std::mt19937_64 random(1);
  const TemporaryFolder folder;
  const std::string script = folder / "run.py", csv = folder / "times.csv";
  ASSERT_EQ(write_case(folder.path().string(), module, random_arguments(module, random, 2)), 2U);
  const std::vector<std::string> arguments{script,     "--check", folder / "example", "--time-ops", csv,
                                           "--warmup", "1",       "--iterations",     "2"};
  // -r 1 -t 1: with Python 3.11 the torchrun of torch 1.13 fails where nothing is redirected.
  std::vector<std::string> torchrun{
      "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "-r", "1", "-t", "1"};
  torchrun.insert(torchrun.end(), arguments.begin(), arguments.end());
  const PythonResult by_torchrun = run_python(python, torchrun);
  EXPECT_EQ(by_torchrun.exit_code, 0) << by_torchrun.text;
  std::filesystem::remove(csv);
  const PythonResult by_itself = run_python(python, arguments);
  EXPECT_EQ(by_itself.exit_code, 0) << by_itself.text;
  EXPECT_NE(by_itself.text.find("iteration: mean "), std::string::npos) << by_itself.text;
  const std::vector<std::string> lines = split(read_file(csv), '\n');
  std::vector<std::string> keys;
  for (const std::string& line : lines) keys.push_back(line.substr(0, line.rfind(',')));
  EXPECT_EQ(keys, (std::vector<std::string>{"rank,op,signature,count",
                                            R"(0,MatMul,"MatMul(f32[2x4] f32[4x4]) -> f32[2x4]",2)",
                                            R"(0,Relu,"Relu(f32[2x4]) -> f32[2x4]",2)", R"(0,Send,"Send f32[2,4]",2)",
                                            R"(1,MatMul,"MatMul(f32[2x4] f32[4x4]) -> f32[2x4]",2)",
                                            R"(1,Relu,"Relu(f32[2x4]) -> f32[2x4]",2)", R"(1,Send,"Send",2)", ""}));
}

}  // namespace
}  // namespace foreflow::test
