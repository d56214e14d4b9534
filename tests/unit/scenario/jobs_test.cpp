// Scenarios of several jobs: how they are read, and what each is told of the others.
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::jobs_test {
namespace {

// Two nodes of four devices that share a NIC.
const char* const kHead = R"({"workload": {"model": "mlp", "layers": 4, "hidden": 256},
  "platform": {"topology": "p3_8xlarge", "nodes": 2}, "strategy": {"dp": 4, "global_batch": 64}, "jobs": )";

Scenario loaded(const std::string& jobs) {
  const std::string text = kHead + jobs + "}";
  return load(parse_json(text, "s.json"), "s.json");
}

std::vector<report::JobSummary> summaries(const std::string& jobs) { return run(loaded(jobs)).summary.jobs; }

TEST(Jobs, TakeFromTheScenarioWhatTheyLeaveOut) {
  const Scenario scenario =
      loaded(R"([{}, {"name": "big", "workload": {"model": "mlp", "layers": 2, "hidden": 512}, "start": "3ms",
                      "strategy": {"tp": 2, "global_batch": 8}, "placement": "spread", "iterations": 5}])");
  ASSERT_EQ(scenario.jobs.size(), 2U);
  const Job &first = scenario.jobs[0], &second = scenario.jobs[1];
  EXPECT_EQ(first.scenario.name, "job1");
  EXPECT_EQ(first.scenario.strategy.dp, 4);
  EXPECT_EQ(first.iterations, 1);
  EXPECT_EQ(first.start, Seconds(0));
  EXPECT_EQ(second.scenario.name, "big");
  EXPECT_EQ(second.scenario.strategy.tp, 2);
  EXPECT_EQ(second.scenario.strategy.dp, 1);
  EXPECT_EQ(second.scenario.placement.policy->name, "spread");
  EXPECT_EQ(second.start, Seconds(3e-3));
  EXPECT_EQ(second.iterations, 5);
  EXPECT_EQ(build(second.scenario).samples, 8);
}

TEST(Jobs, OnNodesOfTheirOwnAreNotSlowedDown) {
  for (const report::JobSummary& job : summaries(R"([{}, {}])")) {
    EXPECT_NEAR(job.slowdown, 1, 1e-12) << job.job.name;
    EXPECT_GT(job.together, Seconds(0));
  }
}

// Both send the same through the two NICs: each gets half of the bandwidth, and the rest of its time does not change.
TEST(Jobs, ThatShareNicsSlowEachOtherDown) {
  const auto jobs = summaries(R"([{"placement": "spread"}, {"placement": "spread"}])");
  EXPECT_GT(jobs[0].slowdown, 1.2);
  EXPECT_LE(jobs[0].slowdown, 2);
  EXPECT_NEAR(jobs[0].slowdown, jobs[1].slowdown, 1e-9);
}

TEST(Jobs, ThatNeverRunAtTheSameTimeDoNot) {
  const auto jobs = summaries(R"([{"placement": "spread"}, {"placement": "spread", "start": "1000s"}])");
  EXPECT_NEAR(jobs[0].slowdown, 1, 1e-9);
  EXPECT_NEAR(jobs[1].slowdown, 1, 1e-9);
}

// Every setting of the scenario is also one of its only job.
TEST(Jobs, ThatSayNothingAreTheScenario) {
  for (const std::string name :
       {"gpt2_xl_ddp", "gpt2_xl_torch_compile", "gpt_39b_alpa", "llama3_8b_fsdp", "llama3_8b_torchtitan"}) {
    const std::string path = FOREFLOW_SOURCE_DIR "/scenarios/frameworks/" + name + ".json";
    const double plain     = run(load_file(path)).summary.iteration_time.value();
    const auto jobs        = run(load_file(path, {"jobs=[{}]"})).summary.jobs;
    EXPECT_NEAR(jobs[0].together.value(), plain, 1e-9 * plain) << name;
    EXPECT_NEAR(jobs[0].slowdown, 1, 1e-12) << name;
  }
}

// Gradients are summed beside the backward pass, whose computes the channels slow down.
std::vector<report::JobSummary> beside_sums(const std::string& engine, const std::string& jobs) {
  const std::string text =
      R"({"workload": {"model": "mlp", "layers": 8, "hidden": 4096, "dtype": "bf16", "optimizer": "sgd"},
          "platform": {"topology": "dgx_a100", "nodes": 2}, "cost": {"model": "roofline"}, "engine": ")" +
      engine + R"(", "strategy": {"dp": 8, "global_batch": 32768, "overlap_gradients": true, "bucket_size": "32MB"},
          "jobs": )" +
      jobs + "}";
  return run(load(parse_json(text, "s.json"), "s.json")).summary.jobs;
}

TEST(Jobs, HaveChannelsOfTheirOwn) {
  for (const char* engine : {"analytic", "simgrid"}) {
    const auto jobs = beside_sums(engine, R"([{}, {"collective": {"channels": 24}, "start": "3s"}])");
    const auto one  = beside_sums(engine, R"([{"collective": {"channels": 24}}])");
    EXPECT_GT(jobs[1].together / jobs[0].together, 1.001) << engine;
    EXPECT_NEAR(jobs[1].together / one[0].together, 1, 1e-9) << engine;  // no wait for the start takes processors
    for (const auto& job : jobs) EXPECT_NEAR(job.slowdown, 1, 1e-9) << engine;
  }
}

TEST(Jobs, RepeatTheirIterations) {
  const auto jobs = summaries(R"([{}, {"iterations": 3}])");
  EXPECT_NEAR(jobs[1].job.alone / jobs[0].job.alone, 3, 1e-9);
  EXPECT_EQ(jobs[1].job.samples, 3 * 64);
  EXPECT_NEAR(jobs[1].samples_per_second, jobs[0].samples_per_second, 1e-6 * jobs[0].samples_per_second);
}

// What is drawn, and what begins later, is the same for a job alone and beside others that it never meets.
TEST(Jobs, MeetTheSameDisturbancesAlone) {
  for (const char* disturbance :
       {R"({"jitter": {"amplitude": 0.2}})", R"({"slowdowns": [{"device": "node0-gpu0", "factor": 2, "from": "8.1ms"},
                                                               {"device": "node1-gpu0", "factor": 2, "from": "8.1ms"}]})",
        R"({"background": [{"from": "node0-gpu0", "to": "node0-gpu1", "bytes": "1GB", "first": "8.1ms"}]})"}) {
    for (const char* jobs : {R"([{"start": "8ms"}])", "[{}, {}]", R"([{}, {"start": "8ms"}])"}) {
      Json json = parse_json(kHead + std::string(jobs) + "}", "s.json");
      json.set("disturbances", parse_json(disturbance, "s.json"));
      for (const report::JobSummary& job : run(load(json, "s.json")).summary.jobs)
        EXPECT_NEAR(job.slowdown, 1, 1e-9) << disturbance << " " << jobs << " " << job.job.name;
    }
  }
}

TEST(Jobs, FillTheirDevicesOneAfterTheOther) {
  const Outcome outcome = run(loaded(R"([{"name": "a", "placement": {"devices": ["2-5"]}}, {"name": "b"}])"));
  std::vector<std::string> devices;
  for (const report::DeviceSummary& device : outcome.summary.devices)
    devices.push_back(device.name + "@" + device.place);
  EXPECT_EQ(devices,
            (std::vector<std::string>{"a/D1@node0-gpu2", "a/D2@node0-gpu3", "a/D3@node1-gpu0", "a/D4@node1-gpu1",
                                      "b/D1@node0-gpu0", "b/D2@node0-gpu1", "b/D3@node1-gpu2", "b/D4@node1-gpu3"}));
}

// One server of a fast kind and three of a slow one, which differ in where a pipeline is best cut.
std::vector<report::JobSummary> on_unequal_devices(const std::string& strategy, const std::string& jobs) {
  const std::string text = R"({"workload": {"model": "gpt", "layers": 8, "hidden": 512, "heads": 8, "sequence": 256,
                                            "vocabulary": 7680},
      "platform": {"parts": [{"topology": "mi300x", "nodes": 1}, {"topology": "dgx1", "nodes": 3}]},
      "cost": {"model": "roofline"}, "engine": "analytic",
      "strategy": {"tp": 8, "pp": 2, "microbatches": 4, "global_batch": 4)" +
                           strategy + R"(}, "jobs": )" + jobs + "}";
  return run(load(parse_json(text, "s.json"), "s.json")).summary.jobs;
}

TEST(Jobs, AreCutForTheirOwnDevices) {
  for (const char* strategy : {"", R"(, "recompute": "optimal")"}) {
    const auto left   = on_unequal_devices(strategy, "[{}, {}]");
    const auto listed = on_unequal_devices(strategy, R"([{}, {"placement": {"devices": ["16-31"]}}])");
    const auto alone  = on_unequal_devices(strategy, R"([{"placement": {"devices": ["16-31"]}}])");
    EXPECT_EQ(left[1].together, listed[1].together) << strategy;
    EXPECT_NEAR(left[1].together / alone[0].together, 1, 1e-9) << strategy;
  }
}

// The second job is left with devices that lack the units; those of the first one have them.
TEST(Jobs, NeedTheUnitsOfTheirTypeOnTheirOwnDevices) {
  const auto problem = [](const std::string& first, const std::string& second) -> std::string {
    const auto job = [](const std::string& dtype) {
      return R"({"workload": {"model": "mlp", "layers": 2, "hidden": 512, "dtype": ")" + dtype + R"("}})";
    };
    const std::string text = R"({"platform": {"parts": [{"topology": "dgx_a100"}, {"topology": "dgx2"}]},
                                 "cost": {"model": "roofline"}, "strategy": {"dp": 8, "global_batch": 64}, "jobs": [)" +
                             job(first) + ", " + job(second) + "]}";
    try {
      run(load(parse_json(text, "s.json"), "s.json"));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem("tf32", "f32"), "");
  EXPECT_EQ(problem("f32", "tf32"),
            "s.json: $.jobs[1].workload.dtype: is tf32, of which V100-SXM3-32GB has no units; use f32");
}

struct Mistake {
  std::string name, jobs, message;
};
std::ostream& operator<<(std::ostream& out, const Mistake& mistake) { return out << mistake.jobs; }

class BadJobs : public testing::TestWithParam<Mistake> {};

TEST_P(BadJobs, AreRefusedInOneLine) {
  try {
    run(loaded(GetParam().jobs));
    FAIL() << "nothing was wrong";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "s.json: $.jobs" + GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Every, BadJobs,
    testing::Values(
        Mistake{"none", "[]", ": lists no job; give one or more"},
        Mistake{"no_list", R"("two")", R"(: expected a list, found "two")"},
        Mistake{"no_object", "[3]", "[0]: expected an object, found 3"},
        Mistake{"unknown_key", R"([{"strat": {}}])", R"([0].strat: unknown key "strat"; the nearest is "start")"},
        Mistake{
            "engine_of_its_own", R"([{"engine": "analytic"}])",
            R"([0].engine: unknown key "engine"; use name, start, iterations, workload, strategy, cost, host, collective or placement)"},
        Mistake{"axis", R"([{}, {"strategy": {"tp": [1, 2]}}])",
                "[1].strategy.tp: is an axis [1,2]; give one value, or use sweep or search"},
        Mistake{"same_name", R"([{"name": "a"}, {"name": "a"}])",
                R"([1].name: two jobs have the name "a"; rename one)"},
        Mistake{"slash", R"([{"name": "a/b"}])",
                R"([0].name: "a/b" has a '/', which joins the name of a job and of its device; leave it out)"},
        Mistake{"default_name_taken", R"([{"name": "job2"}, {}])", R"([1]: two jobs have the name "job2"; rename one)"},
        Mistake{"empty_name", R"([{"name": ""}])", "[0].name: is empty; give the job a name or leave it out"},
        Mistake{"start_without_unit", R"([{"start": 3}])",
                R"([0].start: expected a time with its unit such as "2us", found 3)"},
        Mistake{"no_iteration", R"([{"iterations": 0}])", "[0].iterations: 0 is too small; use 1 or more"},
        Mistake{"too_many_iterations", R"([{"iterations": 20000}])",
                "[0].iterations: 20000 is too large; use at most 10000"},
        Mistake{"wrong_strategy", R"([{}, {"strategy": {"dp": 3, "global_batch": 4}}])",
                "[1].strategy.dp: 3 does not divide the global batch 4; use 1, 2 or 4"},
        Mistake{"too_many_devices", R"([{}, {"strategy": {"dp": 8, "global_batch": 8}}])",
                "[1].strategy: dp x tp x pp = 8 devices are more than the 4 of p3_8xlarge_2 that the jobs before it "
                "leave; add nodes or lower dp, tp or pp"},
        Mistake{"device_of_another", R"([{"name": "a"}, {"placement": {"devices": ["3-6"]}}])",
                R"([1].placement.devices[0]: "node0-gpu3" is used by job "a" already; list another device)"}),
    [](const auto& info) { return info.param.name; });

TEST(Jobs, AreForSimulateOnly) {
  try {
    build(loaded("[{}, {}]"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "s.json: $.jobs: several jobs share the platform, which only simulate and sweep can do; leave one workload "
        "and strategy");
  }
}

}  // namespace
}  // namespace foreflow::scenario::jobs_test
