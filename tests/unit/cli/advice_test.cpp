// What commands say on stderr that would help.
#include <gtest/gtest.h>

#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::advice_test {
namespace {

std::string said(const std::string& hidden, const std::string& strategy) {
  const test::TemporaryFolder folder;
  write_file(folder / "mlp.json", R"({"workload": {"model": "mlp", "layers": 8, "hidden": )" + hidden +
                                      R"(, "dtype": "f16"}, "engine": "analytic", "platform": {"topology": "dgx1"},
                                      "strategy": {)" +
                                      strategy + "}}");
  return test::run_foreflow({"simulate", "mlp.json"}, folder.path()).err;
}

TEST(Advice, IsToFillAPipeline) {
  EXPECT_EQ(said("256", R"("pp": 4, "dp": 2, "global_batch": 64)"),
            "foreflow: note: strategy.microbatches: 1 for a pipeline of 4 devices, most of which wait; 4 or more would "
            "fill it\n");
  EXPECT_EQ(said("256", R"("pp": 4, "dp": 2, "global_batch": 64, "microbatches": 4)"), "");
  EXPECT_EQ(said("256", R"("pp": 4, "global_batch": 1)"), "") << "one sample cannot be split";
}

TEST(Advice, IsToSumSmallGradientsTogetherOrInFewerSteps) {
  const auto said_of_sums = [](const std::string& strategy, const std::string& collective) {
    const test::TemporaryFolder folder;
    write_file(folder / "mlp.json", R"({"workload": {"model": "mlp", "layers": 8, "hidden": 256},
                                        "platform": {"topology": "dgx_h100", "nodes": 8},
                                        "engine": "analytic", "collective": {)" +
                                        collective + R"(}, "strategy": {"global_batch": 512, )" + strategy + "}}");
    return test::run_foreflow({"simulate", "mlp.json"}, folder.path()).err;
  };
  const std::string together = "with strategy.bucket_size, such as 25MB, gradients travel together",
                    fewer =
                        "collective.all_reduce auto, or a collective.library, may take fewer steps than the 126 "
                        "of a ring";
  const std::string both = said_of_sums(R"("dp": 64)", "");
  EXPECT_NE(both.find(" all-reduces of gradients over 64 ranks, so small that latencies decide; " + together + "; " +
                      fewer + "\n"),
            std::string::npos)
      << both;
  EXPECT_NE(said_of_sums(R"("dp": 64)", R"("all_reduce": "auto")").find("; " + together + "\n"), std::string::npos);
  EXPECT_NE(said_of_sums(R"("dp": 64)", R"("library": "nccl@2.18")").find("; " + together + "\n"), std::string::npos);
  EXPECT_NE(said_of_sums(R"("dp": 64, "bucket_size": "25MB")", "").find("decide; " + fewer + "\n"), std::string::npos);
  EXPECT_EQ(said_of_sums(R"("dp": 64, "bucket_size": "25MB")", R"("all_reduce": "auto")"), "");
  EXPECT_EQ(said_of_sums(R"("dp": 8)", ""), "") << "a ring of a few ranks has few steps";
}

TEST(Advice, NamesTheKeysThatWouldLowerTheMemory) {
  const std::string large = R"("tp": 2, "dp": 2, "global_batch": 1048576)";
  const std::string line  = said("16384", large);
  EXPECT_NE(
      line.find(" of its 32 GB; strategy.recompute, more strategy.microbatches, strategy.zero or strategy.offload "
                "may lower it\n"),
      std::string::npos)
      << line;
  const std::string rest = said("16384", large + R"(, "recompute": "full", "zero": 1)");
  EXPECT_NE(rest.find(" of its 32 GB; more strategy.microbatches, a higher strategy.zero or strategy.offload may lower "
                      "it\n"),
            std::string::npos)
      << rest;
}

TEST(Advice, SaysHowMuchMemoryIsMissingWhereNoKeyIsLeft) {
  const std::string line =
      said("131072", R"("tp": 2, "dp": 2, "global_batch": 2, "recompute": "full", "zero": 3, "offload": true)");
  EXPECT_TRUE(line.ends_with(" of its 32 GB\n")) << line;
}

TEST(Advice, NamesMoreRecomputationAndThenMoreDevices) {
  const auto said_of_long = [](const std::string& strategy) {
    const test::TemporaryFolder folder;
    write_file(folder / "gpt.json",
               R"({"workload": {"model": "gpt", "layers": 2, "hidden": 8192, "heads": 64, "sequence": 8192,
                                "vocabulary": 32, "dtype": "f32"}, "engine": "analytic",
                   "platform": {"topology": "dgx1"},
                   "strategy": {"dp": 2, "global_batch": 2, "attention": "unfused", )" +
                   strategy + "}}");
    return test::run_foreflow({"simulate", "gpt.json"}, folder.path()).err;
  };
  for (const char* kind : {"selective", "activation", "op", "block(2)"}) {
    const std::string line = said_of_long(R"("zero": 2, "recompute": ")" + std::string(kind) + "\"");
    EXPECT_TRUE(line.ends_with("; strategy.recompute full, a higher strategy.zero or strategy.offload may lower it\n"))
        << line;
  }
  const std::string line = said_of_long(R"("zero": 3, "recompute": "full", "offload": true)");
  EXPECT_TRUE(line.ends_with("; more strategy.tp, more strategy.pp or more strategy.dp may lower it\n")) << line;
}

TEST(Advice, IsToLeaveResultsOfInferenceSplitWhereTheyFillTheMemory) {
  const auto said_of_inference = [](const std::string& strategy) {
    const test::TemporaryFolder folder;
    write_file(folder / "gpt.json",
               R"({"workload": {"model": "gpt", "layers": 4, "hidden": 4096, "heads": 32, "sequence": 2048,
                                "vocabulary": 1024, "mode": "inference", "dtype": "f16"}, "engine": "analytic",
                   "platform": {"topology": "dgx_a100"}, "strategy": {"tp": 8)" +
                   strategy + "}}");
    return test::run_foreflow({"simulate", "gpt.json"}, folder.path()).err;
  };
  const std::string large = R"(, "global_batch": 640, "microbatches": 10)";
  const std::string line  = said_of_inference(large);
  EXPECT_NE(line.find(" of its 80 GB; strategy.gather_results=false may lower it\n"), std::string::npos) << line;
  EXPECT_EQ(said_of_inference(large + R"(, "gather_results": false)"), "");
  EXPECT_EQ(said_of_inference(R"(, "global_batch": 8)"), "");
}

std::string said_of_gpt(const std::string& strategy) {
  const test::TemporaryFolder folder;
  write_file(folder / "gpt.json",
             R"({"workload": {"model": "gpt", "layers": 1, "hidden": 64, "heads": 2, "sequence": 16,
                                        "vocabulary": 32}, "engine": "analytic", "platform": {"topology": "dgx1"},
                                        "strategy": {"dp": 2, "global_batch": 8)" +
                 strategy + "}}");
  return test::run_foreflow({"simulate", "gpt.json"}, folder.path()).err;
}

const std::string kStriped = R"(, "context_attention": "striped_ring")";

TEST(Advice, IsToShareCausalAttentionEvenly) {
  EXPECT_EQ(said_of_gpt(R"(, "cp": 2)"),
            "foreflow: note: strategy.context_attention: with all_gather the last of the 2 ranks of cp has the most "
            "causal attention to compute; striped_all_gather shares it evenly\n");
  EXPECT_NE(said_of_gpt(R"(, "cp": 2, "context_attention": "ring")").find("with ring the last"), std::string::npos);
  EXPECT_EQ(said_of_gpt(R"(, "cp": 2)" + kStriped), "");
}

TEST(Advice, IsToSendEachTokenToItsExpertsOnce) {
  const auto said_of_moe = [](const std::string& groups, const std::string& strategy) {
    const test::TemporaryFolder folder;
    write_file(folder / "moe.json",
               R"({"workload": {"model": "moe", "layers": 1, "hidden": 64, "heads": 2, "kv_heads": 2, "sequence": 16,
                                        "vocabulary": 32, "experts": 4, "routing_groups": )" +
                   groups + R"(}, "engine": "analytic", "platform": {"topology": "dgx1"},
                                        "strategy": {"dp": 2, "tp": 2, "global_batch": 8)" +
                   strategy + "}}");
    return test::run_foreflow({"simulate", "moe.json"}, folder.path()).err;
  };
  EXPECT_EQ(said_of_moe("2", R"(, "ep": 2)"),
            "foreflow: note: strategy.ep: each of the 2 ranks of tp sends all tokens to the experts; with "
            "sequence_parallel and 2 workload.routing_groups, or a multiple, each sends a part\n");
  EXPECT_NE(said_of_moe("1", R"(, "ep": 2, "sequence_parallel": true)"), "");
  EXPECT_EQ(said_of_moe("2", R"(, "ep": 2, "sequence_parallel": true)"), "");
  EXPECT_EQ(said_of_moe("1", ""), "");
}

TEST(Advice, SaysThatALargeModelIsInFloat32ForWantOfAType) {
  const auto said_of_bert = [](const std::string& workload) {
    const test::TemporaryFolder folder;
    write_file(folder / "bert.json", R"({"workload": {"model": "bert", "hidden": 8192, "layers": 2, "vocabulary": 8192,
                                         "sequence": 8, "heads": 64)" +
                                         workload + R"(}, "engine": "analytic", "platform": {"topology": "dgx_h100"},
                                         "strategy": {"global_batch": 1}})");
    return test::run_foreflow({"simulate", "bert.json"}, folder.path()).err;
  };
  EXPECT_EQ(said_of_bert(""),
            "foreflow: note: workload.dtype: none is stated, so this is f32; models of this size run in bf16 or f16\n");
  EXPECT_EQ(said_of_bert(R"(, "dtype": "bf16")"), "");
  EXPECT_EQ(said_of_bert(R"(, "dtype": "f32")"), "");
}

std::string said_of_mlp(const std::string& dtype, const std::string& platform) {
  const test::TemporaryFolder folder;
  write_file(folder / "mlp.json", R"({"workload": {"model": "mlp", "layers": 2, "hidden": 64, "dtype": ")" + dtype +
                                      R"("}, "engine": "analytic", "platform": {)" + platform +
                                      R"(}, "strategy": {"dp": 2, "global_batch": 8}})");
  return test::run_foreflow({"simulate", "mlp.json"}, folder.path()).err;
}

TEST(Advice, SaysThatDevicesHaveNoUnitsOfAType) {
  EXPECT_EQ(said_of_mlp("bf16", R"("topology": "dgx2")"),
            "foreflow: note: workload.dtype: V100-SXM3-32GB has no units of bf16, whose products run at the rate of "
            "f32; f16 has units\n");
  EXPECT_EQ(said_of_mlp("f16", R"("topology": "dgx2")"), "");
  EXPECT_EQ(said_of_mlp("bf16", R"("topology": "dgx_a100")"), "");
}

TEST(Advice, SaysThatNetworkCardsAreLeftOver) {
  const std::string machine = R"("topology": "dgx_a100", "nodes": 2, "gpus_per_node": 4, "nics_per_node": )";
  EXPECT_EQ(said_of_mlp("bf16", machine + "6"),
            "foreflow: note: platform.nics_per_node: each of the 4 GPUs of a node uses one NIC, so 2 of the 6 carry "
            "nothing\n");
  EXPECT_EQ(said_of_mlp("bf16", machine + "4"), "");
}

TEST(Advice, IsToKeepRanksThatShareExpertsOnOneServer) {
  const auto said_of_moe = [](const std::string& strategy, const std::string& rest) {
    const test::TemporaryFolder folder;
    write_file(folder / "moe.json",
               R"({"workload": {"model": "moe", "layers": 4, "hidden": 64, "heads": 2, "kv_heads": 2, "sequence": 16,
                                "vocabulary": 32, "experts": 4}, "engine": "analytic",
                   "platform": {"topology": "dgx_a100", "nodes": 2},
                   "strategy": {"dp": 4, "pp": 4, "global_batch": 16, "microbatches": 4)" +
                   strategy + "}" + rest + "}");
    return test::run_foreflow({"simulate", "moe.json"}, folder.path()).err;
  };
  EXPECT_EQ(said_of_moe(R"(, "ep": 4)", ""),
            "foreflow: note: placement.order: the 4 ranks that share experts are on 2 servers, between which all their "
            "tokens go; with tp-cp-dp-pp they are on 1\n");
  EXPECT_EQ(said_of_moe(R"(, "ep": 4)", R"(, "placement": {"order": "tp-cp-dp-pp"})"), "");
  EXPECT_EQ(said_of_moe(R"(, "ep": 4)", R"(, "placement": {"order": "tp-pp-dp"})"), "") << "a choice";
  EXPECT_EQ(said_of_moe(R"(, "ep": 2)", ""), "") << "two replicas of four stages fit on a server";
  EXPECT_EQ(said_of_moe("", ""), "");
}

std::string said_of_decoding(const std::string& workload, const std::string& strategy, const std::string& rest = "") {
  const test::TemporaryFolder folder;
  write_file(folder / "decode.json", R"({"workload": {"layers": 2, "hidden": 64, "heads": 4, "vocabulary": 32, "mode":
             "inference", "phase": "decode", "context": 15, "dtype": "bf16", )" +
                                         workload + R"(}, "engine": "analytic", "platform": {"topology": "dgx_h100",
             "nodes": 4}, "strategy": {)" +
                                         strategy + "}" + rest + "}");
  return test::run_foreflow({"simulate", "decode.json"}, folder.path()).err;
}

TEST(Advice, IsNotToFillAPipelineThatDecodes) {
  EXPECT_EQ(said_of_decoding(R"("model": "llama")", R"("pp": 2, "global_batch": 16)"), "");
}

TEST(Advice, SaysThatDecodedTokensAreComputedAtAllExperts) {
  const std::string experts = R"("model": "moe", "experts": 8)", note = "foreflow: note: workload.top_k: ";
  EXPECT_EQ(said_of_decoding(experts, R"("dp": 4, "ep": 2, "global_batch": 256)"),
            note +
                "each of 128 tokens is sent to all 8 experts and computed there, where it chooses 2; the time of "
                "experts is an upper bound\n");
  EXPECT_EQ(said_of_decoding(experts, R"("dp": 4, "ep": 2, "global_batch": 128)"), "") << "64 tokens";
  EXPECT_EQ(said_of_decoding(experts + R"(, "top_k": 8)", R"("global_batch": 256)"), "") << "all are chosen";
  EXPECT_EQ(said_of_decoding(R"("model": "llama")", R"("global_batch": 256)"), "");
}

TEST(Advice, NamesAlgorithmsForSmallMessagesAmongManyExperts) {
  const std::string experts = R"("model": "moe", "experts": 32)", large = R"("dp": 32, "ep": 32, "global_batch": 32)";
  EXPECT_EQ(said_of_decoding(experts, large),
            "foreflow: note: collective.all_to_all: each of the 32 ranks that share experts, on 4 servers, sends the "
            "others a small message one after the other; auto, or a collective.library, takes less time\n");
  EXPECT_EQ(said_of_decoding(experts, large, R"(, "collective": {"all_to_all": "auto"})"), "");
  EXPECT_EQ(said_of_decoding(experts, large, R"(, "collective": {"library": "nccl@2.18"})"), "");
  EXPECT_EQ(said_of_decoding(experts, R"("dp": 16, "ep": 16, "global_batch": 16)"), "");
}

TEST(Advice, IsToKeepTensorParallelGroupsOnOneServer) {
  const auto said_of_shards = [](const std::string& strategy, const std::string& rest) {
    const test::TemporaryFolder folder;
    write_file(folder / "gpt.json",
               R"({"workload": {"model": "gpt", "layers": 4, "hidden": 96, "heads": 24, "sequence": 16,
                                "vocabulary": 32}, "engine": "analytic",
                   "platform": {"topology": "dgx_a100", "nodes": 2}, "strategy": {"global_batch": 8, )" +
                   strategy + "}" + rest + "}");
    return test::run_foreflow({"simulate", "gpt.json"}, folder.path()).err;
  };
  const auto note = [](const std::string& key) {
    return "foreflow: note: " + key +
           ": 1 of the 2 tensor-parallel groups would fit on a server, but lies on several, between which the messages "
           "of each layer go; degrees that fill servers, or placement.devices, keep them together\n";
  };
  const std::string stages = R"("pp": 2, "microbatches": 2, "stage_tp": )";
  EXPECT_EQ(said_of_shards(stages + R"("4:8")", ""), note("strategy.stage_tp"));
  EXPECT_EQ(said_of_shards(stages + R"("8:4")", ""), "");
  EXPECT_EQ(said_of_shards(R"("dp": 2, "tp": 6)", ""), note("strategy.tp"));
  EXPECT_EQ(said_of_shards(R"("dp": 2, "tp": 6)", R"(, "placement": {"devices": ["0-5", "8-13"]})"), "");
  EXPECT_EQ(said_of_shards(R"("tp": 12)", ""), "") << "no server has as many devices";
}

TEST(Advice, SaysThatTensorParallelismLeavesMostOfTheArithmeticWhole) {
  const test::TemporaryFolder folder;
  write_file(folder / "odd.distir",
             R"(func @main(weight %a: Tensor[Float32, (9, 99)], weight %b: Tensor[Float32, (9, 2)],
           %x: Tensor[Float32, (5, 9)]) {
  %y = MatMul(%x, %a)
  %z = MatMul(%x, %b)
  return %y, %z
}
)");
  write_file(folder / "odd.json", R"({"workload": {"distir": "odd.distir"}, "platform": {"topology": "dgx1"},
                                      "engine": "analytic", "strategy": {"dp": 1, "tp": 2, "pp": 1}})");
  const auto said_by = [&](const char* command) {
    return test::run_foreflow({command, "odd.json"}, folder.path()).err;
  };
  const std::string line =
      "strategy.tp: 98 % of the arithmetic is not split, and each of 2 ranks computes all of it: 1 x MatMul; 2 divides "
      "no dimension of %a, (9, 99)\n";
  EXPECT_EQ(said_by("simulate"), "foreflow: note: " + line);
  EXPECT_NE(said_by("search").find("foreflow: note: the best strategy: " + line), std::string::npos);
}

std::string said_of_machines(const char* command, const std::string& platform, const std::string& cost) {
  const test::TemporaryFolder folder;
  write_file(folder / "mlp.json", R"({"workload": {"model": "mlp", "layers": 8, "hidden": 256, "dtype": "bf16"},
                                      "engine": "analytic", "platform": )" +
                                      platform + R"(, "cost": )" + cost +
                                      R"(, "strategy": {"dp": 8, "tp": 1, "pp": 1, "zero": 0, "global_batch": 64}})");
  return test::run_foreflow({command, "mlp.json"}, folder.path()).err;
}

TEST(Advice, NamesMachinesThatWereNotMeasuredBesideOthersThatWere) {
  const std::string note =
      "foreflow: note: Gaudi3-128GB, MI300X-192GB have no calibration and are priced from their "
      "data sheets, others from measurements; their times do not compare\n";
  const std::string axis = R"({"topology": ["dgx_h100", "mi300x", "gaudi3"], "nodes": [1, 2]})";
  const std::string list = R"([{"topology": "dgx_h100"}, {"topology": "mi300x"}, {"topology": "gaudi3"}])";
  for (const char* command : {"sweep", "search"}) {
    for (const std::string& platform : {axis, list})
      EXPECT_NE(said_of_machines(command, platform, R"({"model": "calibrated"})").find(note), std::string::npos);
    EXPECT_EQ(said_of_machines(command, axis, R"({"model": "roofline"})").find("note"), std::string::npos);
    const std::string measured = R"({"topology": ["dgx_h100", "dgx_a100"]})";
    EXPECT_EQ(said_of_machines(command, measured, R"({"model": "calibrated"})").find("note"), std::string::npos);
    const std::string sheets = R"({"topology": ["mi300x", "gaudi3"]})";
    EXPECT_EQ(said_of_machines(command, sheets, R"({"model": "calibrated"})").find("note"), std::string::npos);
  }
}

}  // namespace
}  // namespace foreflow::advice_test
