// Bounds never exceed what is predicted, for questions in which one once did or easily could.
#include "search/bounds/bounds.h"

#include <gtest/gtest.h>

#include <fstream>

#include "property/expected_bounds.h"
#include "search/bounds/refine.h"
#include "search/question.h"
#include "support/temporary.h"

namespace foreflow::search::bounds_test {
namespace {

std::string first(const Result& result, size_t top) { return to_json(result, top).find("ranked")->dump(); }

// Experts that replicas share are work of all of them, so these are bounded together.
TEST(Bounds, HoldForEveryWayToShareExperts) {
  expect_bounds_hold(parse_json(R"({
    "workload": {"model": "moe", "layers": 2, "hidden": 64, "heads": 4, "feed_forward": 128, "sequence": 32, "vocabulary": 128,
                 "experts": 8, "routing_groups": 4, "dtype": "f16"},
    "platform": {"topology": "dgx2"}, "engine": "analytic",
    "strategy": {"dp": [1, 2, 4], "cp": [1, 4], "tp": [1, 2], "pp": [1, 2], "ep": "any", "zero": 0,
                 "global_batch": 16, "microbatches": 2, "schedule": "1f1b", "overlap_tensor": 1},
    "placement": "packed"})",
                                "moe.json"));
}

// Of the shards of every context two are written, which stand for as many devices as there are shards in it.
TEST(Bounds, HoldForContextsAndExpertsOfManyShards) {
  for (const char* model :
       {R"("llama", "kv_heads": 8)", R"("moe", "kv_heads": 8, "experts": 8, "routing_groups": 32)"}) {
    expect_bounds_hold(
        parse_json(std::string(R"({"workload": {"layers": 4, "hidden": 1024, "heads": 8, "sequence": 8192,
      "vocabulary": 4096, "dtype": "bf16", "model": )") +
                       model + R"(}, "platform": {"topology": "dgx_h100", "nodes": 4}, "engine": "analytic",
      "cost": {"model": "roofline"}, "placement": {"order": ["tp-cp-dp-pp", "tp-pp-cp-dp"]},
      "strategy": {"dp": [1, 4], "tp": [4, 8], "pp": [1, 2], "cp": [1, 2, 4], "ep": "any", "global_batch": 8,
                   "microbatch_size": 1, "schedule": "1f1b", "zero": [0, 1], "recompute": "none", "overlap_tensor": 1,
                   "sequence_parallel": true, "attention": "flash", "overlap_sends": false,
                   "overlap_gradients": false}})",
                   "contexts.json"));
  }
}

// The shards of a context lie as far apart as there can be, and those of the next one beside them.
TEST(Bounds, HoldForContextsAndExpertsThatStagesSeparate) {
  expect_bounds_hold(
      parse_json(R"({"workload": {"model": "moe", "layers": 2, "hidden": 512, "heads": 8, "sequence": 512,
    "vocabulary": 8192, "routing_groups": 16, "dtype": "f16"}, "platform": {"topology": "dgx_a100", "nodes": 2},
    "engine": "analytic", "placement": {"order": "pp-cp-dp-tp"},
    "strategy": {"dp": 1, "tp": 4, "cp": 2, "pp": 2, "ep": [1, 2], "global_batch": 8, "microbatches": [1, 4],
                 "schedule": "gpipe", "zero": 0, "recompute": "none", "overlap_tensor": 1,
                 "sequence_parallel": false, "vocabulary_parallel": false, "overlap_gradients": false}})",
                 "separated.json"));
}

// The gradients of one sample are summed over contexts once, whatever puts them into buckets.
TEST(Bounds, HoldForBucketsOfOneReplicaOfContexts) {
  expect_bounds_hold(
      parse_json(R"({"workload": {"model": "gpt", "layers": 2, "hidden": 1024, "heads": 16, "sequence": 2048,
    "vocabulary": 4096, "dtype": "bf16", "mode": "training"}, "platform": {"topology": "dgx_h100", "nodes": 2},
    "engine": "analytic", "placement": {"order": "tp-cp-dp-pp"},
    "strategy": {"dp": 1, "tp": [1, 2], "cp": 8, "pp": 1, "global_batch": [1, 2], "microbatches": 1, "zero": [0, 1, 2],
                 "bucket_size": ["25MB", "1GB"], "overlap_gradients": [false, true], "recompute": "none",
                 "overlap_tensor": 1, "schedule": "1f1b"}})",
                 "buckets.json"));
}

// Contexts of two-shard programs are on the devices that they have among all shards, and rings that chunks go round may
// be faster than what a library does.
TEST(Bounds, HoldForALibraryOnServersWithoutNvlink) {
  expect_bounds_hold(
      parse_json(R"({"workload": {"model": "gpt", "layers": 2, "hidden": 1024, "heads": 16, "sequence": 2048,
    "vocabulary": 4096, "dtype": "f16", "mode": "training"}, "platform": {"topology": "pcie_l40s", "nodes": 2},
    "engine": "analytic", "placement": {"order": "tp-cp-dp-pp"}, "collective": {"library": "nccl@2.18"},
    "strategy": {"dp": [1, 2], "tp": [4, 8], "cp": [1, 4], "pp": 1, "global_batch": 8, "microbatches": [1, 2], "zero": [0, 1],
                 "overlap_gradients": false, "recompute": "none", "overlap_tensor": [1, 2], "sequence_parallel": [false, true],
                 "schedule": "1f1b", "overlap_sends": false}})",
                 "library.json"));
}

// The messages of a ring are on a stream of their own, and what is handed over to it crosses no link.
TEST(Bounds, HoldForRingsOfInferenceWithALibrary) {
  expect_bounds_hold(
      parse_json(R"({"workload": {"model": "llama", "layers": 2, "hidden": 256, "heads": 8, "sequence": 512,
    "vocabulary": 1024, "dtype": "bf16", "mode": "inference"}, "platform": {"topology": "dgx_a100"},
    "engine": "analytic", "placement": {"order": "tp-cp-dp-pp"}, "collective": {"library": "nccl@2.23"},
    "strategy": {"dp": 1, "tp": [1, 2], "cp": 4, "pp": 1, "global_batch": 4, "microbatches": [1, 4],
                 "context_attention": ["ring", "striped_ring"], "fusion": false, "overlap_tensor": 1,
                 "sequence_parallel": false, "vocabulary_parallel": false, "schedule": "inference"}})",
                 "rings.json"));
}

TEST(Bounds, HoldForInferenceWithAFrameworkThatCutsProducts) {
  expect_bounds_hold(parse_json(R"({"workload": {"model": "llama", "layers": 2, "hidden": 1024, "heads": 16,
    "sequence": 512, "vocabulary": 50304, "dtype": "bf16", "mode": "inference"}, "framework": "nemo@23.09",
    "platform": {"topology": "a40_pcie", "nodes": 4}, "engine": "analytic", "placement": {"order": "tp-cp-dp-pp"},
    "strategy": {"dp": 4, "tp": 4, "cp": 1, "pp": 1, "global_batch": 16, "microbatches": [1, 4], "sequence_parallel": false,
                 "vocabulary_parallel": false, "overlap_tensor": [1, 2], "schedule": "inference"}})",
                                "framework.json"));
}

// Activations that are offloaded are in memory for no longer than a gradient needs them.
TEST(Bounds, HoldWhereActivationsOfSplitBackwardPassesAreOffloaded) {
  expect_bounds_hold(parse_json(R"({
    "workload": {"model": "moe", "layers": 4, "hidden": 64, "heads": 4, "feed_forward": 128, "sequence": 32,
                 "vocabulary": 128, "experts": 4, "routing_groups": 2, "dtype": "f16", "optimizer": "sgd"},
    "platform": {"topology": "p3_8xlarge", "nodes": 2}, "engine": "analytic", "cost": {"model": "roofline"},
    "strategy": {"dp": 1, "cp": 2, "tp": 1, "pp": 2, "ep": 1, "zero": 1, "global_batch": [8, 32], "microbatches": 4,
                 "schedule": ["1f1b", "zb_h1", "zb_v"], "recompute": ["none", "selective", "op"], "offload": true,
                 "overlap_tensor": 1},
    "placement": "packed"})",
                                "offload.json"));
}

// With ZeRO 3 weights are gathered for forward and for backward passes; two pipes sum their gradients before replicas
// do.
TEST(Bounds, HoldForEveryExchangeOfEverySchedule) {
  for (const char* schedule : {R"(["1f1b", "zb_h1", "zb_v"])", R"(["chimera", "dualpipe", "dualpipe_v"])"}) {
    Json source = parse_json(R"({
      "workload": {"model": "gpt", "layers": 4, "hidden": 256, "heads": 8, "sequence": 64, "vocabulary": 512,
                   "dtype": "f16", "mode": "training", "optimizer": "adam"},
      "platform": {"topology": "dgx_a100", "nodes": 2}, "engine": "simgrid", "cost": {"model": "roofline"},
      "strategy": {"dp": 4, "tp": [1, 2], "pp": 2, "global_batch": 32, "microbatches": 4, "zero": [0, 1, 2, 3],
                   "overlap_gradients": [false, true], "overlap_tensor": 1, "recompute": "none"},
      "placement": {"order": ["tp-pp-dp", "dp-tp-pp"]}})",
                             "exchange.json");
    source.member("strategy").set("schedule", parse_json(schedule, "schedules"));
    expect_bounds_hold(source);
  }
}

// What ZeRO leaves of optimizer states decides where stages end that must fit in memory.
Json tight_question() {
  return parse_json(R"({
    "workload": {"model": "mlp", "layers": 32, "hidden": 64, "dtype": "f16", "optimizer": "adam"},
    "platform": {"topology": "dgx_a100", "device": {"memory": "3MB"}}, "engine": "analytic",
    "cost": {"model": "roofline"},
    "strategy": {"dp": 4, "tp": 1, "pp": 2, "global_batch": 4096, "microbatches": 4,
                 "schedule": ["1f1b", "zb_h1", "chimera"], "recompute": "none", "overlap_tensor": 1}})",
                    "tight.json");
}

TEST(Bounds, HoldWhereZeroMovesTheEndsOfStages) { expect_bounds_hold(tight_question()); }

TEST(Bounds, LoseNothingWhereZeroMovesTheEndsOfStages) {
  Options all;
  all.pruning       = Pruning::none;
  const Result full = search(tight_question(), "tight.json", all);
  EXPECT_EQ(first(search(tight_question(), "tight.json", {}), 3), first(full, 3));
}

// Devices that wait for a sum before they pack the next gradients are slower and hold less, never less than a bound.
TEST(Bounds, HoldWhereDevicesWaitForReduceScatters) {
  expect_bounds_hold(parse_json(R"({"workload": {"model": "gpt", "layers": 4, "hidden": 256, "heads": 8, "sequence": 64,
    "vocabulary": 512, "dtype": "f16", "optimizer": "adam"}, "platform": {"topology": "dgx_a100"}, "strategy": {"dp": 4,
    "tp": 1, "pp": [1, 2], "global_batch": 32, "microbatches": 4, "zero": [2, 3], "recompute": "none",
    "overlap_gradients": true, "limit_reduce_scatters": true, "schedule": ["1f1b", "zb_h1", "interleaved_1f1b"]}})",
                                ""));
}

// Gradients that are summed in a narrower type are shorter messages, in a wider one longer.
TEST(Bounds, HoldWhereGradientsAreSummedInAnotherType) {
  for (const char* dtype : {"f32", "f16"}) {
    Json source = parse_json(R"({
      "workload": {"model": "gpt", "layers": 4, "hidden": 256, "heads": 8, "sequence": 64, "vocabulary": 512,
                   "mode": "training", "optimizer": "adam"},
      "platform": {"topology": "dgx_a100", "nodes": 2}, "engine": "simgrid", "cost": {"model": "roofline"},
      "strategy": {"dp": 4, "tp": 1, "pp": 2, "global_batch": 32, "microbatches": 4, "zero": [0, 1, 2, 3],
                   "overlap_gradients": [false, true], "schedule": ["1f1b", "zb_h1", "chimera"], "recompute": "none",
                   "reduce_dtype": ["gradient", "f32", "bf16"]},
      "placement": "packed"})",
                             "summed.json");
    source.member("workload").set("dtype", dtype);
    expect_bounds_hold(source);
  }
  expect_bounds_hold(
      parse_json(R"({"workload": {"model": "moe", "hidden": 2048, "heads": 16, "dtype": "bf16", "layers": 2,
    "sequence": 512, "vocabulary": 50257, "experts": 16, "routing_groups": 16}, "platform": {"topology": "alps_gh200",
    "nodes": 4}, "engine": "analytic", "placement": {"order": "pp-dp-tp-cp"}, "strategy": {"dp": 2, "tp": 2, "cp": 4, "pp": 1,
    "ep": [1, 4], "global_batch": 8, "microbatches": 2, "reduce_dtype": "f32", "schedule": "1f1b", "zero": 0, "overlap_tensor": 1}})",
                 "summed.json"));
}

// Messages of a tensor-parallel group that travel beside products, whose operands and results are there in parts: times
// and memory, also where backward passes are split.
Json question_of_messages_beside_products(const char* schedule, bool sequence_parallel) {
  Json source = parse_json(R"({
      "workload": {"model": "llama", "layers": 4, "hidden": 1024, "heads": 16, "kv_heads": 8, "feed_forward": 2816,
                   "sequence": 256, "vocabulary": 128, "dtype": "f16", "mode": "training", "optimizer": "sgd"},
      "platform": {"topology": "dgx_a100", "nodes": 2}, "engine": "simgrid", "cost": {"model": "roofline"},
      "strategy": {"dp": 1, "tp": 4, "pp": 2, "global_batch": 32, "microbatches": 8, "zero": 0,
                   "overlap_tensor": [2, 4], "recompute": "none"},
      "placement": "packed"})",
                           "beside.json");
  source.member("strategy").set("schedule", schedule).set("sequence_parallel", sequence_parallel);
  return source;
}

TEST(Bounds, HoldForMessagesBesideProducts) {
  for (const char* schedule : {"\"1f1b\"", "\"zb_h1\"", "\"zb_v\""}) {
    Json source = parse_json(R"({
      "workload": {"model": "llama", "layers": 4, "hidden": 1024, "heads": 16, "kv_heads": 8, "feed_forward": 2816,
                   "sequence": 256, "vocabulary": 128, "dtype": "f16", "mode": "training", "optimizer": "sgd"},
      "platform": {"topology": "dgx_a100", "nodes": 2}, "engine": "simgrid", "cost": {"model": "roofline"},
      "strategy": {"dp": 1, "tp": [2, 8], "pp": 2, "global_batch": 16, "microbatches": 4, "zero": 0,
                   "overlap_tensor": [1, 2, 4], "sequence_parallel": [false, true], "recompute": ["none", "full"]},
      "placement": "packed"})",
                             "beside.json");
    source.member("strategy").set("schedule", parse_json(schedule, "schedules"));
    expect_bounds_hold(source);
  }
}

// Times of messages that were measured on one node or on two, where others are simulated. A group of two ranks is on
// one node or on two as the placement says.
TEST(Bounds, HoldForMessagesThatWereMeasuredOnSomeNodes) {
  for (const char* slow : {"3us", "12us"}) {
    Json source   = parse_json(R"({
      "workload": {"model": "gpt", "layers": 2, "hidden": 256, "heads": 8, "sequence": 128, "vocabulary": 512,
                   "dtype": "f16", "mode": "training", "optimizer": "sgd"},
      "platform": {"topology": "dgx_a100", "nodes": 2}, "engine": "simgrid", "cost": {"model": "calibrated"},
      "strategy": {"dp": [1, 2], "tp": [1, 4], "pp": [1, 2], "global_batch": 8, "microbatches": 2, "recompute": "none",
                   "schedule": ["1f1b", "zb_h1"], "overlap_gradients": false, "overlap_tensor": 1, "vocabulary_parallel": false},
      "placement": {"policy": ["packed", "spread"]}})",
                               "measured.json");
    Json families = Json::array();
    for (const auto& [op, ranks, nodes] : {std::tuple("MPIAllreduce", 2, 1),
                                           {"MPIAllreduce", 2, 2},
                                           {"MPIAllreduce", 4, 1},
                                           {"MPIAllreduce", 4, 2},
                                           {"Send", 2, 1}}) {
      Json points = Json::array();
      for (const int64_t bytes : {1024, 131072, 4194304}) {
        const double seconds = (nodes == 1 ? 1e-5 : 5e-5) + static_cast<double>(bytes) / (nodes == 1 ? 1e11 : 1e10);
        points.push(
            Json::object()
                .set("signature", std::string(op) + " " + std::to_string(bytes) + " B over " + std::to_string(ranks))
                .set("flops", 0)
                .set("bytes", std::to_string(bytes) + "B")
                .set("time", bytes == 131072 ? std::string(slow) : std::to_string(seconds * 1e6) + "us"));
      }
      families.push(Json::object()
                        .set("op", op)
                        .set("dtype", "f16")
                        .set("ranks", ranks)
                        .set("nodes", nodes)
                        .set("fixed", nodes == 1 ? "10us" : "50us")
                        .set("bandwidth", nodes == 1 ? "100GBps" : "10GBps")
                        .set("points", std::move(points)));
    }
    source.member("cost").set("families", std::move(families));
    expect_bounds_hold(source);
  }
}

// Beside a bias, whose gradient is computed between a product and the sum of its results in a whole backward pass; and
// where some backward passes are split and others are not.
TEST(Bounds, HoldForSumsBesideGradientsOfABias) {
  for (const char* schedule : {"zb_v", "dualpipe_v", "dualpipe"}) {
    Json source = question_of_messages_beside_products(schedule, true);
    source.set("workload", parse_json(R"({"model": "gpt", "layers": 4, "hidden": 1024, "heads": 16, "sequence": 256,
                 "vocabulary": 128, "dtype": "f16", "mode": "training", "optimizer": "sgd"})",
                                      "workload"));
    expect_bounds_hold(source);
  }
}

// What chunks of several products, whose results are added up, take more than the products is part of a refined bound.
TEST(Bounds, KnowTheChunksOfProductsThatAreAddedUp) {
  for (const char* schedule : {"zb_h1", "zb_v"}) {
    Json source = question_of_messages_beside_products(schedule, true);
    for (const auto& [size, value] : {std::pair("hidden", 8192), {"heads", 64}, {"feed_forward", 28672}})
      source.member("workload").set(size, value);
    source.member("workload").set("sequence", 4096);
    const Question question(source, "chunks.json", {});
    Predictor predictor;
    Refiner refiner(predictor);
    for (const Json& point : question.space().points()) {
      const ReadPoint read = question.read(point);
      ASSERT_TRUE(read.scenario);
      const double share = refiner.refine(read).time / predictor.predict(read).time;
      EXPECT_GT(share, 0.985) << point.dump_compact();
      EXPECT_LE(share, 1);
    }
  }
}

// Weights travel in messages of a bucket or more, and each message takes at least its latency: passes wait for them,
// one unit after the other. Sums over a tensor-parallel group are kept as terms, or parted, until replicas exchange
// them.
Json question_of_many_messages() {
  return parse_json(R"({
    "workload": {"model": "llama", "layers": 4, "hidden": 512, "heads": 8, "kv_heads": 4, "feed_forward": 1024,
                 "sequence": 128, "vocabulary": 2048, "dtype": "f16", "mode": "training", "optimizer": "adam"},
    "platform": {"topology": "dgx_a100", "nodes": 4}, "engine": "simgrid", "cost": {"model": "roofline"},
    "strategy": {"dp": 8, "tp": 2, "pp": 2, "global_batch": 64, "microbatches": 4, "zero": 3, "bucket_size": "1 MB",
                 "overlap_gradients": true, "overlap_tensor": 1, "recompute": "none", "schedule": "1f1b"},
    "placement": {"order": "tp-pp-dp"}})",
                    "messages.json");
}

TEST(Bounds, HoldForManyMessagesOfWeights) {
  for (const char* schedule : {R"(["1f1b", "gpipe", "interleaved_1f1b"])", R"(["zb_h1", "zb_v"])",
                               R"(["chimera", "dualpipe", "dualpipe_v"])"}) {
    Json source = question_of_many_messages();
    source.member("strategy")
        .set("schedule", parse_json(schedule, "schedules"))
        .set("overlap_gradients", parse_json("[false, true]", "overlap"))
        .set("zero", parse_json("[2, 3]", "zero"))
        .set("sequence_parallel", parse_json("[false, true]", "sequence"))
        .set("vocabulary_parallel", parse_json("[false, true]", "vocabulary"));
    expect_bounds_hold(source);
  }
  Json source = question_of_many_messages();
  source.member("strategy")
      .set("recompute", parse_json(R"(["none", "selective", "op", "full"])", "recompute"))
      .set("pp", parse_json("[1, 2]", "pp"))
      .set("tp", parse_json("[1, 2]", "tp"))
      .set("first_bucket_size", parse_json(R"(["64 kB", "256 kB"])", "first"))
      .set("delay_weight_gradients", parse_json("[false, true]", "delay"));
  expect_bounds_hold(source);
}

// Almost all of the time passes in gathers and sums of a megabyte over the network.
TEST(Bounds, KnowTheLatencyOfEveryMessageOfWeights) {
  for (const bool overlap : {false, true}) {
    Json source = question_of_many_messages();
    source.member("strategy").set("overlap_gradients", overlap);
    const Question question(source, "messages.json", {});
    Predictor predictor;
    Refiner refiner(predictor);
    for (const Json& point : question.space().points()) {
      const ReadPoint read = question.read(point);
      EXPECT_GT(refiner.refine(read).time / predictor.predict(read).time, 0.75) << point.dump_compact();
    }
  }
}

// Expects that the refined bound of every legal point is more than this share of the predicted time, and no longer.
void expect_refined_to(double share, const Json& source) {
  const Question question(source, "refined.json", {});
  Predictor predictor;
  Refiner refiner(predictor);
  size_t known = 0;
  for (const Json& point : question.space().points()) {
    const ReadPoint read = question.read(point);
    if (!read.scenario) continue;
    const double ratio = refiner.refine(read).time / predictor.predict(read).time;
    EXPECT_LE(ratio, 1) << point.dump_compact();
    EXPECT_GT(ratio, share) << point.dump_compact();
    ++known;
  }
  EXPECT_GT(known, 0U) << source.find("strategy")->dump_compact();
}

// The next stage waits for what it is sent, tasks add their gradients to those of the microbatches before, and what is
// done at the end waits for the sum of the gradients of a tied embedding, which two stages compute.
TEST(Bounds, KnowWhatPipelinesWaitFor) {
  Json source = parse_json(R"({
    "workload": {"model": "gpt", "layers": 16, "hidden": 4096, "heads": 32, "sequence": 2048, "vocabulary": 102400,
                 "dtype": "f16", "mode": "training", "optimizer": "adam"},
    "platform": {"topology": "dgx_a100", "nodes": 8}, "engine": "simgrid", "cost": {"model": "roofline"},
    "strategy": {"dp": 2, "tp": 8, "pp": 4, "global_batch": 16, "microbatches": 8, "zero": [0, 1, 2],
                 "overlap_gradients": true, "recompute": "none", "overlap_tensor": 1, "sequence_parallel": true,
                 "vocabulary_parallel": true},
    "placement": {"order": "tp-dp-pp"}})",
                           "waits.json");
  // The partners of two pipes send gradients to each other at the same time, and others' messages cross theirs.
  const std::map<std::string, double> least = {
      {"1f1b", 0.9}, {"interleaved_1f1b", 0.9}, {"zb_h1", 0.9}, {"dualpipe_v", 0.9}, {"dualpipe", 0.8}};
  for (const auto& [schedule, share] : least) {
    source.member("strategy").set("schedule", schedule);
    if (schedule == "interleaved_1f1b") source.member("strategy").set("virtual_stages", 4);
    if (schedule != "interleaved_1f1b") source.member("strategy").set("virtual_stages", "any");
    expect_refined_to(share, source);
  }
}

// On a slow network most of the time of a pipeline is that of its messages. Computes alone are less than a tenth of it.
TEST(Bounds, KnowTheTimeOfTheMessagesBetweenStages) {
  Json source = parse_json(R"({
    "workload": {"model": "gpt", "layers": 8, "hidden": 1024, "heads": 16, "sequence": 512, "vocabulary": 51200,
                 "dtype": "f16", "mode": "training", "optimizer": "adam"},
    "platform": {"topology": "dgx_a100", "nodes": 4, "gpus_per_node": 2, "nics_per_node": 2,
                 "links": {"nic": {"bandwidth": "0.125GBps"}}},
    "engine": "simgrid", "cost": {"model": "roofline"},
    "strategy": {"tp": 2, "pp": 4, "global_batch": 8, "microbatches": 8, "recompute": "none", "overlap_tensor": 1,
                 "sequence_parallel": [false, true], "overlap_sends": [false, true]}})",
                           "slow.json");
  for (const char* schedule : {"gpipe", "1f1b", "interleaved_1f1b", "zb_h1", "zb_v"}) {
    source.member("strategy").set("schedule", schedule);
    expect_bounds_hold(source);
    expect_refined_to(0.25, source);
  }
}

// Whatever the schedule, the only microbatch passes through all stages, one after the other.
TEST(Bounds, KnowThatOneMicrobatchIsInOneStageAtATime) {
  const Json source = parse_json(R"({
    "workload": {"model": "gpt", "layers": 8, "hidden": 1024, "heads": 8, "sequence": 512, "vocabulary": 512,
                 "dtype": "f16", "mode": "training", "optimizer": "adam"},
    "platform": {"topology": "dgx_a100", "nodes": 1}, "engine": "analytic", "cost": {"model": "roofline"},
    "strategy": {"dp": 2, "tp": 1, "pp": 4, "global_batch": 16, "microbatches": 1, "zero": [0, 1],
                 "schedule": ["1f1b", "gpipe", "looped_bfs", "zb_h1", "zb_h2", "zb_v"], "virtual_stages": 2,
                 "recompute": ["none", "full"]}})",
                                 "one.json");
  expect_bounds_hold(source);
  const Question question(source, "one.json", {});
  Predictor predictor;
  Refiner refiner(predictor);
  for (const Json& point : question.space().points()) {
    const ReadPoint read = question.read(point);
    if (!read.scenario) continue;
    const Seconds bound = std::max(Bounds(1).of({&read}).front().time, refiner.refine(read).time);
    EXPECT_GT(bound / predictor.predict(read).time, 0.5) << point.dump_compact();
  }
}

// A shard copies its heads of a bias that is made whole, and keeps the copy.
TEST(Bounds, HoldForSharesOfAWholeBias) {
  expect_bounds_hold(parse_json(R"({
    "workload": {"model": "t5", "dtype": "bf16", "layers": 2, "hidden": 256, "heads": 8, "feed_forward": 512, "sequence": 512,
                 "vocabulary": 256},
    "platform": {"topology": "dgx_a100"}, "engine": "analytic", "placement": "packed",
    "strategy": {"dp": 1, "tp": [2, 4], "pp": [1, 2], "global_batch": 4, "microbatches": [1, 2], "zero": [0, 1],
                 "schedule": ["gpipe", "zb_h1"], "recompute": "none", "overlap_tensor": 1, "overlap_gradients": false,
                 "sequence_parallel": false, "vocabulary_parallel": false}})",
                                "t5.json"));
}

// Segments of `block(n)` end with their stage.
TEST(Bounds, HoldForStagesOfFewerBlocksThanSegments) {
  expect_bounds_hold(parse_json(R"json({
    "workload": {"model": "gpt", "dtype": "bf16", "layers": 4, "hidden": 256, "heads": 8, "sequence": 512, "vocabulary": 256,
                 "dropout": 0.1},
    "platform": {"topology": "dgx_a100"}, "engine": "analytic", "placement": "packed",
    "strategy": {"dp": [1, 2], "tp": 1, "pp": [1, 2, 4], "global_batch": 4, "microbatches": [1, 2], "zero": [0, 1],
                 "schedule": "1f1b", "recompute": ["block(2)", "block(3)"], "overlap_tensor": 1, "attention": "unfused",
                 "overlap_gradients": false}})json",
                                "blocks.json"));
}

// One microbatch in one stage runs in the order of the program, whatever the schedule.
TEST(Bounds, HoldWhereNoScheduleIsWritten) {
  expect_bounds_hold(parse_json(R"({
    "workload": {"model": "llama", "dtype": "bf16", "layers": 2, "hidden": 256, "heads": 8, "sequence": 512, "vocabulary": 256},
    "platform": {"topology": "dgx_a100"}, "engine": "analytic", "placement": "packed",
    "strategy": {"dp": [1, 2], "tp": 4, "pp": 1, "global_batch": 4, "microbatches": 1, "zero": [0, 1],
                 "schedule": ["zb_h1", "zb_v"], "recompute": ["none", "op", "full"], "overlap_tensor": 1,
                 "sequence_parallel": [false, true], "overlap_gradients": false}})",
                                "one.json"));
}

// A profile of a platform's file may make its links and hosts faster than they are said to be.
TEST(Bounds, HoldOnPlatformsWithProfiles) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "faster.bw") << "0.0 1e10\n0.0001 8e10\n";
  std::ofstream(folder / "faster.xml") << R"(<?xml version="1.0"?>
    <!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1"><zone id="all" routing="Full">
      <host id="a" speed="10Tf"/><host id="b" speed="10Tf"/>
      <link id="wire" bandwidth="10GBps" latency="1us" bandwidth_file="faster.bw"/>
      <route src="a" dst="b"><link_ctn id="wire"/></route>
    </zone></platform>)";
  expect_bounds_hold(parse_json(R"({
    "workload": {"model": "gpt", "layers": 2, "hidden": 512, "heads": 8, "sequence": 256, "vocabulary": 1024, "dtype": "f16",
                 "mode": "training"},
    "platform": {"file": ")" + (folder / "faster.xml") +
                                    R"("}, "placement": "packed",
    "strategy": {"dp": "any", "tp": "any", "pp": "any", "global_batch": 4, "microbatches": [1, 4], "zero": [0, 1],
                 "schedule": ["1f1b", "zb_h1"], "recompute": "none", "overlap_tensor": 1, "sequence_parallel": false,
                 "vocabulary_parallel": false, "overlap_gradients": false}})",
                                "faster.json"));
}

}  // namespace
}  // namespace foreflow::search::bounds_test
