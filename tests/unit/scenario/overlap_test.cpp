// What overlap is worth: an iteration is shorter than with everything in turn, and never shorter than the computing or
// the communicating that it contains.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::overlap_test {
namespace {

const std::string kMlp =
    R"("workload": {"model": "mlp", "layers": 16, "hidden": 2048, "dtype": "f16", "optimizer": "adam"},
                            "platform": {"topology": "dgx_a100", "nodes": 2}, "strategy": {"global_batch": 16384, )";
const std::string kGpt = R"("workload": {"model": "gpt", "layers": 4, "hidden": 2048, "heads": 16, "sequence": 1024,
                            "vocabulary": 2048, "dtype": "f16"},
                            "platform": {"topology": "dgx_a100", "nodes": 1}, "strategy": {"global_batch": 16, )";

Outcome simulated(const std::string& scenario, const std::string& strategy, const std::string& engine = "simgrid",
                  const std::string& more = "") {
  const std::string text = "{" + scenario + strategy + R"(}, "engine": ")" + engine + "\"" + more + "}";
  return run(load(parse_json(text, "overlap.json"), "overlap.json"));
}

double iteration(const Outcome& outcome) { return outcome.timeline.makespan.value(); }

// The most that one device computes, and that it communicates.
std::pair<double, double> busiest(const Outcome& outcome) {
  double compute = 0, communication = 0;
  for (const auto& device : outcome.summary.devices) {
    compute       = std::max(compute, device.compute.value());
    communication = std::max(communication, device.communication.value());
  }
  return {compute, communication};
}

void expect_worth(const std::string& scenario, const std::string& strategy, const std::string& overlap) {
  const Outcome in_turn = simulated(scenario, strategy), beside = simulated(scenario, strategy + ", " + overlap);
  EXPECT_LT(iteration(beside), 0.99 * iteration(in_turn)) << strategy << " " << overlap;
  const auto [compute, communication] = busiest(beside);
  EXPECT_GE(iteration(beside), compute);
  EXPECT_GE(iteration(beside), communication);
  EXPECT_GE(iteration(beside), (1 - 1e-9) * busiest(in_turn).first) << strategy << " " << overlap;
}

// How long the optimizers of one device run, and how much of that beside gathers on its stream of communication.
std::pair<double, double> optimizers(const Outcome& outcome, const std::string& device) {
  const auto& streams = outcome.program.streams;
  const auto records  = [&](const std::string& name, const auto& counts) {
    const auto stream = std::find_if(streams.begin(), streams.end(), [&](const auto& one) { return one.name == name; });
    std::vector<stream::Record> found;
    for (size_t i = 0; stream != streams.end() && i < stream->items.size(); ++i) {
      if (counts(stream->items[i])) found.push_back(nth(outcome.timeline.records, stream - streams.begin()).at(i));
    }
    return found;
  };
  const auto steps   = records(device, [&](const stream::Item& item) {
    if (item.instance >= 0) return false;
    const auto& parts = nth(outcome.program.computes, item.event).parts;
    return std::any_of(parts.begin(), parts.end(),
                         [](const auto& part) { return part.name.find("Optimizer") != std::string::npos; });
  });
  const auto gathers = records(device + ".comm", [&](const stream::Item& item) {
    return item.instance >= 0 && nth(outcome.program.communications, item.event).name == "MPIAllgather";
  });
  double all = 0, beside = 0;
  for (const stream::Record& step : steps) {
    all += (step.end - step.start).value();
    for (const stream::Record& gather : gathers)
      beside += std::max(0.0, (std::min(step.end, gather.end) - std::max(step.start, gather.start)).value());
  }
  return {all, beside};
}

using Sizes = std::map<double, int64_t>;  // how many all-reduces there are of so many bytes

Sizes sums(const std::string& strategy) {
  Sizes all;
  const std::string mlp = R"("workload": {"model": "mlp", "layers": 16, "hidden": 1024, "dtype": "f16"},
      "platform": {"topology": "dgx_a100", "nodes": 1}, "strategy": {"global_batch": 64, "dp": 4, )";
  for (const auto& row : simulated(mlp, strategy, "analytic").summary.collectives) {
    if (row.kind == "all_reduce") all[row.bytes.value()] += row.count;
  }
  return all;
}

// A bucket is full when it has its size, so it has ceil(size / weight) equal gradients; the last one has what is left.
TEST(Buckets, HaveAsManyGradientsAsTheirSizesSay) {
  constexpr double kWeight  = 1024 * 1024 * 2;
  const std::string overlap = R"("overlap_gradients": true, )";
  EXPECT_EQ(sums(overlap + R"("bucket_size": "0B")"), (Sizes{{kWeight, 16}}));
  EXPECT_EQ(sums(overlap + R"("bucket_size": "25MB")"), (Sizes{{12 * kWeight, 1}, {4 * kWeight, 1}}));
  EXPECT_EQ(sums(overlap + R"("bucket_size": "10MiB", "first_bucket_size": "1MiB")"),
            (Sizes{{kWeight, 1}, {5 * kWeight, 3}}));
  EXPECT_EQ(sums(overlap + R"("bucket_size": "8MiB", "first_bucket_size": "12MiB")"),
            (Sizes{{6 * kWeight, 1}, {4 * kWeight, 2}, {2 * kWeight, 1}}));
}

TEST(Overlap, OfGradientsAndWeightsShortensAnIteration) {
  for (int zero = 0; zero <= 3; ++zero)
    expect_worth(kMlp, R"("dp": 16, "bucket_size": "20MB", "zero": )" + std::to_string(zero),
                 R"("overlap_gradients": true)");
}

// Buckets of 3 (tp 2: 5) of 16 equal layers, whose gathers take longer than their optimizers: those of the first bucket
// wait for nothing to hide them, all others run beside the gather of the bucket before.
TEST(Overlap, HidesOptimizersBehindGathersOfNewWeights) {
  for (const std::string zero : {"1", "2"}) {
    for (const auto& [ways, first, devices] :
         {std::tuple<std::string, double, int>{R"("dp": 16)", 3, 1}, {R"("dp": 8, "tp": 2)", 5, 2}}) {
      const Outcome outcome =
          simulated(kMlp, ways + R"(, "bucket_size": "20MB", "overlap_gradients": true, "zero": )" + zero, "analytic",
                    R"(, "cost": {"model": "roofline"})");
      for (int number = 1; number <= devices; ++number) {
        const std::string device = "D" + std::to_string(number);
        const auto [all, beside] = optimizers(outcome, device);
        EXPECT_NEAR(beside / all, 1 - first / 16, 0.03) << ways << " zero " << zero << " " << device;
      }
    }
  }
}

// Clipping adds a norm, and waits for all gradients, but the updates behind it are the same.
TEST(Overlap, IsNotShorterWithClippedGradients) {
  const std::string mlp =
      R"("workload": {"model": "mlp", "layers": 16, "hidden": 2048, "dtype": "f16", "optimizer": "adam",
                      "clip_gradients": )";
  const std::string rest =
      R"(}, "platform": {"topology": "dgx_a100", "nodes": 2}, "strategy": {"global_batch": 16384, )";
  for (const std::string ways : {R"("dp": 16)", R"("dp": 8, "tp": 2)", R"("dp": 16, "microbatches": 2)",
                                 R"("dp": 4, "pp": 4, "microbatches": 4)"}) {
    for (const std::string zero : {"0", "1", "2", "3"}) {
      const std::string strategy = ways + R"(, "bucket_size": "20MB", "overlap_gradients": true, "zero": )" + zero;
      const double without       = iteration(simulated(kMlp, strategy, "analytic"));
      EXPECT_GE(iteration(simulated(mlp + "1" + rest, strategy, "analytic")), (1 - 1e-9) * without)
          << ways << " zero " << zero;
    }
  }
}

TEST(Overlap, OfSendsShortensAnIteration) {
  const std::string strategy = R"("pp": 4, "microbatches": 16)";
  const double posted        = iteration(simulated(kGpt, strategy));
  EXPECT_LT(posted, 0.99 * iteration(simulated(kGpt, strategy + R"(, "overlap_sends": false)")));
}

TEST(Overlap, OfTensorParallelSumsShortensAnIteration) { expect_worth(kGpt, R"("tp": 8)", R"("overlap_tensor": 2)"); }

// What waits is the sum of the last chunk behind two products of a layer, the first and the last gather and sum of the
// program, and messages of a few bytes: less than a fifth of what there is.
TEST(Overlap, OfRowsHidesMessagesThatAreShorterThanTheProductsBesideThem) {
  const std::string llama =
      R"("workload": {"model": "llama", "layers": 8, "hidden": 8192, "heads": 64, "sequence": 4096,
                                "vocabulary": 8192, "dtype": "bf16", "optimizer": "adam", "mode": "training"},
                               "cost": {"model": "roofline"},
                               "platform": {"topology": "dgx_h100", "nodes": 1}, "strategy": {"global_batch": 8, )";
  for (const std::string replicas : {R"("microbatches": 1)", R"("microbatches": 8)"}) {
    const std::string strategy = R"("tp": 4, "sequence_parallel": true, )" + replicas;
    const Outcome beside       = simulated(llama, strategy + R"(, "overlap_tensor": 4)");
    const Outcome in_turn      = simulated(llama, strategy);
    const double waited        = iteration(in_turn) - busiest(in_turn).first;
    EXPECT_LT(iteration(beside) - busiest(beside).first, 0.2 * waited) << replicas;
  }
}

// In a split backward pass gradients of weights hide nothing that gradients of x wait for: rows are multiplied as they
// arrive, and sums are computed in chunks. What waits is the last chunk of each sum, a fourth, the last gather and sum
// of the program, and what a stage waits for the other.
TEST(Overlap, OfRowsHidesMessagesBesideSplitBackwardPasses) {
  const std::string llama =
      R"("workload": {"model": "llama", "layers": 8, "hidden": 8192, "heads": 64, "sequence": 4096,
                                "vocabulary": 8192, "dtype": "bf16", "optimizer": "adam", "mode": "training"},
                               "cost": {"model": "roofline"},
                               "platform": {"topology": "dgx_h100", "nodes": 1}, "strategy": {"global_batch": 8, )";
  const std::string strategy = R"("tp": 4, "pp": 2, "schedule": "zb_h1", "microbatches": 8, "sequence_parallel": true)";
  Seconds communication, both;
  for (const auto& device : simulated(llama, strategy + R"(, "overlap_tensor": 4)").summary.devices) {
    communication += device.communication;
    both += device.compute + device.communication - device.busy;
  }
  EXPECT_GT(both / communication, 0.8);
}

// The engines share no link here: one collective of one group is under way at a time.
TEST(Overlap, IsTheSameInAllEngines) {
  for (const std::string strategy :
       {R"("dp": 8, "overlap_gradients": true)", R"("dp": 8, "zero": 2, "overlap_gradients": true)",
        R"("dp": 8, "zero": 3, "overlap_gradients": true)"}) {
    const double expected = iteration(simulated(kMlp, strategy, "analytic"));
    EXPECT_NEAR(iteration(simulated(kMlp, strategy, "simgrid")), expected, 1e-9 * expected) << strategy;
  }
}

// An all-reduce of few bytes in one bucket has one latency, not one for each gradient.
TEST(Buckets, AreFewerMessages) {
  const std::string small = R"("workload": {"model": "mlp", "layers": 32, "hidden": 64, "dtype": "f16"},
                               "platform": {"topology": "dgx_a100", "nodes": 2}, "strategy": {"global_batch": 16, "dp": 16)";
  const Outcome each = simulated(small, ""), packed = simulated(small, R"(, "bucket_size": "25MB")");
  EXPECT_EQ(each.program.instances.size(), 32U);
  EXPECT_EQ(packed.program.instances.size(), 1U);
  EXPECT_LT(busiest(packed).second, 0.1 * busiest(each).second);
}

// The algorithm of each collective, by how many take part.
std::map<size_t, std::string> algorithms(const stream::Program& program) {
  std::map<size_t, std::string> found;
  for (const stream::Instance& instance : program.instances)
    found[instance.members.ranks()] = nth(program.communications, instance.communication).algorithm->name;
  return found;
}

TEST(Groups, ChooseTheirAlgorithms) {
  const std::string strategy = R"("dp": 2, "tp": 8)";
  const std::string gpt      = R"("workload": {"model": "gpt", "layers": 1, "hidden": 64, "heads": 8, "sequence": 16,
                                  "vocabulary": 64}, "platform": {"topology": "dgx_a100", "nodes": 2}, "strategy": {"global_batch": 2, )";
  const auto with            = [&](const std::string& collective) {
    return algorithms(simulated(gpt, strategy, "analytic", R"(, "collective": )" + collective).program);
  };
  using Found = std::map<size_t, std::string>;
  EXPECT_EQ(with(R"({"all_reduce": "tree"})"), (Found{{2, "tree"}, {8, "tree"}}));
  EXPECT_EQ(with(R"({"all_reduce": "ring", "dp": {"all_reduce": "tree"}})"), (Found{{2, "tree"}, {8, "ring"}}));
  EXPECT_EQ(with(R"({"dp": {"all_reduce": "ring"}, "tp": {"all_reduce": "nvls"}})"), (Found{{2, "ring"}, {8, "nvls"}}));
}

TEST(Groups, AreNamedInErrors) {
  try {
    simulated(kMlp, R"("dp": 2)", "analytic", R"(, "collective": {"dp": {"all_reduce": "bruck"}})");
    ADD_FAILURE() << "was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "overlap.json: $.collective.dp.all_reduce: bruck does not do all_reduce; see foreflow list collectives");
  }
}

}  // namespace
}  // namespace foreflow::scenario::overlap_test
