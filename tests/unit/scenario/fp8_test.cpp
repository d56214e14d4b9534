// "dtype": "fp8": products of the layers' matrices in fp8, all else as in bf16.
#include "foreflow/ir/fp8.h"

#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::fp8_test {
namespace {

Scenario loaded(const std::string& dtype, const std::string& topology = "dgx_h100", int updates = 0,
                const std::string& rest = R"("strategy": {"tp": 2, "pp": 2, "microbatches": 4, "global_batch": 16})") {
  const std::string text = R"({"workload": {"model": "gpt", "layers": 4, "hidden": 8192, "heads": 64,
    "vocabulary": 5120, "sequence": 2048, "mode": "training", "optimizer": "adam", "dtype": ")" +
                           dtype + R"(", "fp8_updates": )" + std::to_string(updates) +
                           R"(}, "platform": {"topology": ")" + topology + R"(", "nodes": 1}, )" + rest + "}";
  return load(parse_json(text, "fp8.json"), "fp8.json");
}

int64_t marked(const ir::Module& module, std::string_view op = {}) {
  int64_t count = 0;
  for (const ir::Function& function : module.functions) {
    for (const ir::Op& one : function.ops)
      count += !one.is_call() && (op.empty() || one.def->name == op) && one.attributes->find(ir::kFp8) != nullptr;
  }
  return count;
}

TEST(Fp8Workload, MarksTheFourProductsOfEachLayerAndTheirGradients) {
  const Sequential sequential = build(loaded("fp8"));
  EXPECT_EQ(marked(sequential.module, "MatMul"), 4 * 4);
  EXPECT_EQ(marked(sequential.module, "MatMulGrad"), 4 * 4);
  EXPECT_EQ(marked(build(loaded("bf16")).module, "MatMul"), 0);
}

// How products of bytes are priced differs between training and inference.
TEST(Fp8Workload, MarksProductsOfInference) {
  for (const char* mode : {"training", "inference"}) {
    const std::string text = R"({"workload": {"model": "llama", "layers": 2, "hidden": 256, "heads": 4, "sequence": 64,
      "vocabulary": 500, "dtype": "fp8", "mode": ")" +
                             std::string(mode) + R"("}, "platform": {"topology": "dgx_h100"}})";
    for (const ir::Function& function : build(load(parse_json(text, "fp8.json"), "fp8.json")).module.functions) {
      for (const ir::Op& op : function.ops) {
        if (op.is_call() || op.def->name != "MatMul" || op.attributes->find(ir::kFp8) == nullptr) continue;
        EXPECT_EQ(op.attributes->find(ir::kFp8Inference) != nullptr, std::string(mode) == "inference");
      }
    }
  }
}

// Neither bare families nor presets of BERT and T5 state a vocabulary.
TEST(Fp8Workload, MarksNoProductWithTheWordsOrTheRouterOfDefaultSizes) {
  for (const auto& [model, defaults] :
       {std::pair(R"("bert-base")", R"("vocabulary": 30522)"), std::pair(R"("t5-small")", R"("vocabulary": 32128)"),
        std::pair(R"("t5-small", "mode": "inference", "phase": "decode")", R"("vocabulary": 32128)"),
        std::pair(R"("llama")", R"("vocabulary": 32000)"),
        std::pair(R"("moe")", R"("vocabulary": 32000, "experts": 8)")}) {
    const auto marks = [&, model = model](const std::string& sizes) {
      const std::string text = R"({"workload": {"model": )" + std::string(model) + R"(, "layers": 2, "dtype": "fp8")" +
                               sizes + R"(}, "platform": {"topology": "dgx_h100"}})";
      return marked(build(load(parse_json(text, "fp8.json"), "fp8.json")).module);
    };
    EXPECT_EQ(marks(""), marks(std::string(", ") + defaults)) << model;
    EXPECT_GT(marks(""), 0) << model;
  }
}

// The product with the words is known by what reads it, not by its size alone.
TEST(Fp8Workload, MarksTheSameProductsWhereThereAreAsManyWordsAsColumns) {
  for (const char* mode : {"training", "inference"}) {
    for (const int words : {1000, 1024, 3072, 4096}) {  // none of them; hidden; queries, keys and values; feed_forward
      for (const char* model : {R"("gpt", "heads": 8)", R"("llama", "heads": 8, "feed_forward": 4096)"}) {
        const auto text = [&](int vocabulary) {
          return R"({"workload": {"model": )" + std::string(model) + R"(, "layers": 2, "hidden": 1024, "sequence": 512,
            "vocabulary": )" +
                 std::to_string(vocabulary) + R"(, "mode": ")" + mode + R"(", "dtype": "fp8"},
            "platform": {"topology": "dgx_h100"}, "strategy": {"global_batch": 8}})";
        };
        const auto marks = [&](int vocabulary) {
          const ir::Module module = build(load(parse_json(text(vocabulary), "fp8.json"), "fp8.json")).module;
          return marked(module);
        };
        EXPECT_EQ(marks(words), marks(5000)) << mode << words << model;
        EXPECT_GE(marks(words), 2 * 4);
      }
    }
  }
}

Scenario of_experts(const std::string& dtype, const std::string& strategy) {
  const std::string text = R"({"workload": {"model": "moe", "layers": 2, "hidden": 1024, "heads": 8, "vocabulary": 512,
    "feed_forward": 4096, "sequence": 1024, "experts": 8, "top_k": 2, "mode": "training", "optimizer": "adam",
    "dtype": ")" + dtype + R"("}, "platform": {"topology": "dgx_h100", "nodes": 1}, "engine": "analytic",
    "strategy": {"global_batch": 8, )" +
                           strategy + "}}";
  return load(parse_json(text, "experts.json"), "experts.json");
}

// Of each layer four products of attention and three of experts, whose gradients are two products each; the router
// keeps its type.
TEST(Fp8Workload, MarksTheProductsOfExperts) {
  const Sequential sequential = build(of_experts("fp8", R"("ep": 1)"));
  EXPECT_EQ(marked(sequential.module, "MatMul"), 2 * (4 + 3));
  EXPECT_EQ(marked(sequential.module, "MatMulGrad"), 2 * 4);
  EXPECT_EQ(marked(sequential.module, "FusedMatMul"), 2 * 3 * 2);
}

// Two copies of four matrices of attention and of three of each expert, on one device and on eight that share experts.
TEST(Fp8Workload, KeepsTwoCopiesOfTheMatricesOfExperts) {
  for (const auto& [strategy, experts] : {std::pair{R"("ep": 1)", 8}, {R"("dp": 8, "ep": 8)", 1}}) {
    const Outcome wide = run(of_experts("bf16", strategy)), narrow = run(of_experts("fp8", strategy));
    const double matrices = 2 * (4. * 1024 * 1024 + experts * 3. * 1024 * 4096);
    for (size_t d = 0; d < narrow.program.devices.size(); ++d)
      EXPECT_EQ(narrow.program.devices[d].initial - wide.program.devices[d].initial, Bytes(2 * matrices));
    // Not on eight: products of one expert are small beside the conversions.
    if (experts == 8) {
      EXPECT_LT(narrow.summary.iteration_time, wide.summary.iteration_time);
    }
  }
}

// Queries, keys and values, and so gates and what they multiply, have one activation, which one product converts.
TEST(Fp8Workload, ConvertsAnActivationOnce) {
  const std::string text =
      R"({"workload": {"model": "llama", "layers": 3, "hidden": 1024, "heads": 8, "vocabulary": 512,
    "sequence": 256, "mode": "training", "dtype": "fp8", "fp8_updates": 5}, "platform": {"topology": "dgx_h100"},
    "strategy": {"global_batch": 1}})";
  const Sequential sequential = build(load(parse_json(text, "once.json"), "once.json"));
  int64_t converts = 0, updates = 0;
  for (const ir::Op& op : sequential.module.entry().ops) {
    if (op.is_call() || op.def->name != "MatMul" || op.attributes->find(ir::kFp8) == nullptr) continue;
    converts += op.attributes->get_int(ir::kFp8) == 0 ? 1 : 0;
    updates += op.attributes->find(ir::kFp8Updates) != nullptr ? 1 : 0;
  }
  // Of seven products: the first of three, the projection, the first of two, and the last one, which the gate makes.
  EXPECT_EQ(converts, 3 * 4);
  EXPECT_EQ(updates, 3 * 3);
}

TEST(Fp8Workload, TakesLessTime) {
  const auto wide = run(loaded("bf16")).summary, narrow = run(loaded("fp8")).summary;
  EXPECT_LT(narrow.iteration_time, wide.iteration_time);
  EXPECT_EQ(narrow.job.dtype, "f8");
}

// Of the first device.
Bytes at_the_beginning(const Outcome& outcome) { return outcome.program.devices[0].initial; }

// Two layers a stage, of 12 h^2 numbers in matrices, split over two shards; one copy as it is, one transposed. The
// backward pass whole, or split into gradients of x and of weights.
TEST(Fp8Workload, KeepsTwoCopiesOfEveryMatrixOfALayer) {
  for (const std::string schedule : {"1f1b", "zb_h1"}) {
    const std::string strategy =
        R"("strategy": {"tp": 2, "pp": 2, "microbatches": 4, "global_batch": 16, "schedule": ")" + schedule + R"("})";
    const Outcome wide   = run(loaded("bf16", "dgx_h100", 0, strategy)),
                  narrow = run(loaded("fp8", "dgx_h100", 0, strategy));
    ASSERT_EQ(narrow.program.devices.size(), wide.program.devices.size());
    for (size_t d = 0; d < narrow.program.devices.size(); ++d)
      EXPECT_EQ(narrow.program.devices[d].initial - wide.program.devices[d].initial,
                Bytes(2 * 2 * 12 * 8192. * 8192 / 2));
  }
}

// Inference has no backward pass and updates nothing: a matrix is there once, a byte for each number.
TEST(Fp8Workload, InfersFromOneCopyOfEveryMatrixOfALayer) {
  const auto beginning = [](const std::string& dtype) {
    const std::string text =
        R"({"workload": {"model": "llama", "layers": 3, "hidden": 1024, "heads": 8, "feed_forward": 4096,
      "vocabulary": 512, "sequence": 256, "mode": "inference", "phase": "decode", "dtype": ")" +
        dtype + R"("}, "platform": {"topology": "dgx_h100", "nodes": 1}, "strategy": {"tp": 2}})";
    return at_the_beginning(run(load(parse_json(text, "fp8.json"), "fp8.json")));
  };
  EXPECT_EQ(beginning("bf16") - beginning("fp8"), Bytes(3 * (4. * 1024 * 1024 + 3. * 1024 * 4096) / 2));
}

// What each further layer adds to the peak of one device. With fp8 the operands of the second product (the results of
// norms and of the activation) are kept in a byte instead of two, that of the projection also in a byte, beside those
// of attention: GPT 2 (h + h + 4 h) - (h + h + h + 4 h) = 5 h a token less, LLaMA h + f less. Two copies of each matrix
// are more.
TEST(Fp8Workload, KeepsOperandsOfProductsInOneByte) {
  constexpr double kTokens = 8 * 1024, kHidden = 1024, kWide = 4096;
  const auto of_layer = [](const std::string& family, const std::string& dtype) {
    const auto peak = [&](int layers) {
      const std::string text = R"({"workload": {"model": ")" + family + R"(", "layers": )" + std::to_string(layers) +
                               R"(, "hidden": 1024, "heads": 16, "vocabulary": 512, "sequence": 1024, "dtype": ")" +
                               dtype + "\"" + (family == "llama" ? R"(, "feed_forward": 4096)" : "") +
                               R"(}, "platform": {"topology": "dgx_h100", "nodes": 1}, "engine": "analytic",
                               "strategy": {"global_batch": 8}})";
      return run(load(parse_json(text, "fp8.json"), "fp8.json")).summary.devices[0].peak_memory.value();
    };
    return (peak(8) - peak(4)) / 4;
  };
  const double gpt = 12 * kHidden * kHidden, llama = 4 * kHidden * kHidden + 3 * kHidden * kWide;
  EXPECT_DOUBLE_EQ(of_layer("gpt", "bf16") - of_layer("gpt", "fp8"), 5 * kHidden * kTokens - 2 * gpt);
  EXPECT_DOUBLE_EQ(of_layer("llama", "bf16") - of_layer("llama", "fp8"), (kHidden + kWide) * kTokens - 2 * llama);
}

// The first of two devices of zb_h1 holds two microbatches before their backward passes. The second one holds one, and
// the operands of the gradients of weights of another: norms, attention and activation, 7 h instead of 14 h.
TEST(Fp8Workload, KeepsOperandsOfDelayedProductsInOneByte) {
  constexpr double kTokens = 8 * 1024, kHidden = 1024, kCopies = 2 * 12 * kHidden * kHidden;
  const auto of_layer = [](const std::string& dtype, size_t device) {
    const auto peak = [&](int layers) {
      const std::string text = R"({"workload": {"model": "gpt", "layers": )" + std::to_string(layers) +
                               R"(, "hidden": 1024, "heads": 16, "vocabulary": 512, "sequence": 1024, "dtype": ")" +
                               dtype + R"("}, "platform": {"topology": "dgx_h100", "nodes": 1}, "engine": "analytic",
                               "cost": {"model": "roofline"}, "strategy": {"global_batch": 64, "microbatches": 8, "pp": 2, "schedule": "zb_h1",
                               "stage_partition": "layers"}})";
      return run(load(parse_json(text, "fp8.json"), "fp8.json")).summary.devices.at(device).peak_memory.value();
    };
    return (peak(8) - peak(4)) / 2;
  };
  EXPECT_DOUBLE_EQ(of_layer("bf16", 0) - of_layer("fp8", 0), 2 * 5 * kHidden * kTokens - kCopies);
  EXPECT_DOUBLE_EQ(of_layer("bf16", 1) - of_layer("fp8", 1), (5 + 7) * kHidden * kTokens - kCopies);
}

// ZeRO 3 splits the copies over the replicas.
TEST(Fp8Workload, KeepsAPartOfTheCopiesOfSplitWeights) {
  for (const char* unit : {R"("shard_unit": "block")", R"("bucket_size": "25MB")"}) {
    const auto copies = [&](const std::string& dtype) {
      const Outcome outcome = run(loaded(
          dtype, "dgx_h100", 0, R"("strategy": {"dp": 8, "zero": 3, "global_batch": 8, )" + std::string(unit) + "}"));
      return at_the_beginning(outcome);
    };
    EXPECT_EQ(copies("fp8") - copies("bf16"), Bytes(2 * 4 * 12 * 8192. * 8192 / 8)) << unit;
  }
}

// Kernels that update scales, by the ops before which they run.
int64_t updates_before(const ir::Module& module, std::string_view op) {
  int64_t kernels = 0;
  for (const ir::Function& function : module.functions) {
    for (const ir::Op& one : function.ops) {
      if (!one.is_call() && one.def->name == op) kernels += one.attributes->int_or(ir::kFp8Updates, 0);
    }
  }
  return kernels;
}

TEST(Fp8Workload, ScalesAreUpdatedOnceForEachOfTheThreeModulesOfALayerAndEachPass) {
  const ir::Module module = build(loaded("fp8", "dgx_h100", 6)).module;
  EXPECT_EQ(updates_before(module, "MatMul"), 4 * 3 * 6);
  EXPECT_EQ(updates_before(module, "MatMulGrad"), 4 * 3 * 6);
  EXPECT_EQ(updates_before(build(loaded("bf16", "dgx_h100", 6)).module, "MatMul"), 0);
}

// On one device nothing overlaps: the iteration is longer by the shortest kernel (2 us) for each update of four layers,
// three modules, two passes. Products in pieces do not update more often.
TEST(Fp8Workload, AnUpdateTakesTheShortestTimeOfAKernel) {
  const double expected = 6 * 2e-6 * 4 * 3 * 2;
  const std::string one = R"("strategy": {"global_batch": 1})";
  const std::string cut = R"("strategy": {"tp": 2, "overlap_tensor": 4, "sequence_parallel": true, "global_batch": 1})";
  for (const std::string& strategy : {one, cut}) {
    const Seconds without = run(loaded("fp8", "dgx_h100", 0, strategy)).summary.iteration_time;
    const Seconds with    = run(loaded("fp8", "dgx_h100", 6, strategy)).summary.iteration_time;
    EXPECT_NEAR((with - without).value(), expected, strategy == one ? 1e-9 : 0.1 * expected) << strategy;
  }
}

TEST(Fp8Workload, AnUpdateIsIssuedByTheHost) {
  const auto slow = [](int updates) {
    return run(loaded("fp8", "dgx_h100", updates, R"("host": {"kernel": "10ms"}, "strategy": {"global_batch": 1})"))
        .summary.iteration_time;
  };
  // The host decides: each kernel takes it 10 ms, but for the last one nothing is hidden.
  EXPECT_NEAR((slow(6) - slow(0)).value(), 6 * 10e-3 * 4 * 3 * 2, 1e-4);
}

TEST(Fp8Workload, ADeviceWithoutFp8IsRefused) {
  try {
    run(loaded("fp8", "dgx_a100"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("fp8"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace foreflow::scenario::fp8_test
