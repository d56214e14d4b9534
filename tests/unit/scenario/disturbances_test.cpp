// "network" and "disturbances" of a scenario.
#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::disturbances_test {
namespace {

Json scenario_with(const std::string& key, const std::string& value) {
  Json json = parse_json(R"({"workload": {"model": "mlp", "layers": 4, "hidden": 256, "mode": "training"},
                             "platform": {"topology": "dgx2"}, "strategy": {"dp": 4, "global_batch": 64}})",
                         "the test");
  json.set(key, parse_json(value, "the test"));
  return json;
}

double seconds(const std::string& key, const std::string& value) {
  return run(load(scenario_with(key, value), "mlp.json")).summary.iteration_time.value();
}

std::string complaint(const std::string& key, const std::string& value) {
  try {
    run(load(scenario_with(key, value), "mlp.json"));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ScenarioNetwork, NamesACoupling) {
  for (const simulate::CouplingDef& row : simulate::couplings()) {
    const Json json = scenario_with("network", R"({"coupling": ")" + std::string(row.name) + "\"}");
    EXPECT_EQ(load(json, "mlp.json").simulation.coupling, row.coupling);
  }
  EXPECT_EQ(complaint("network", R"({"coupling": "copled"})"),
            "mlp.json: $.network.coupling: unknown coupling \"copled\"; the nearest is \"coupled\" (see: foreflow list "
            "couplings)");
  EXPECT_EQ(complaint("network", R"({"pace": 1})"), "mlp.json: $.network.pace: unknown key \"pace\"; use coupling");
}

TEST(ScenarioDisturbances, SlowTheIteration) {
  const double planned = seconds("network", "{}");
  EXPECT_GT(seconds("disturbances", R"({"slowdowns": [{"device": "node0-gpu1", "factor": 3}]})"), 1.5 * planned);
  EXPECT_EQ(seconds("disturbances", R"({"slowdowns": [{"device": "node0-gpu9", "factor": 3}]})"), planned);  // idle
  EXPECT_EQ(seconds("disturbances", R"({"slowdowns": [{"device": "node0-gpu1", "factor": 3, "from": "1s"}]})"),
            planned);
  EXPECT_NE(seconds("disturbances", R"({"jitter": {"amplitude": 0.05, "seed": 3}})"), planned);
  EXPECT_GT(seconds("disturbances", R"({"links": [{"link": "node0-gpu0-nvlink_UP", "changes":
                                       [{"at": "0s", "factor": 0.01}]}]})"),
            planned);
  EXPECT_GT(seconds("disturbances", R"({"background": [{"from": "node0-gpu0", "to": "node0-gpu5", "bytes": "1GB",
                                       "limit": "100GBps", "first": "0us", "period": "1ms", "until": "1s"}]})"),
            planned);
}

TEST(ScenarioDisturbances, AreRefusedInOneLineWhereTheyAreWrong) {
  struct Mistake {
    std::string value, message;
  };
  const std::vector<Mistake> mistakes = {
      {R"({"slowdown": {}})", "slowdown: unknown key \"slowdown\"; the nearest is \"slowdowns\""},
      {R"({"slow": [{"device": "node0-gpu1", "factor": 2}]})",
       "slow: unknown key \"slow\"; the nearest is \"slowdowns\""},
      {R"({"slowdowns": [{"device": "node0-gpu77", "factor": 2}]})",
       "slowdowns[0].device: the platform has no device \"node0-gpu77\"; the nearest is \"node0-gpu7\""},
      {R"({"slowdowns": [{"device": "D2", "factor": 2}]})",
       "slowdowns[0].device: the platform has no device \"D2\"; D2 of the results is \"node0-gpu1\" there"},
      {R"({"background": [{"from": "node0-gpu0", "to": "D9", "bytes": "1GB"}]})",
       "background[0].to: the platform has no device \"D9\"; use node0-gpu0, "},
      {R"({"slowdowns": [{"device": "node0-gpu1", "factor": 0}]})",
       "slowdowns[0].factor: is not above 0; 2 means half the speed"},
      {R"({"slowdowns": [{"device": "node0-gpu1", "factor": 2, "from": "-1s"}]})",
       "slowdowns[0].from: \"-1s\" is negative"},
      {R"({"slowdowns": [{"device": "node0-gpu1", "factor": 2, "from": "2s", "until": "1s"}]})",
       "slowdowns[0].until: is not after \"from\""},
      {R"({"jitter": {"amplitude": 1.5}})", "jitter.amplitude: is not in [0, 1); 0.05 means 5 %"},
      {R"({"jitter": {"amplitude": 0.1, "seed": -1}})", "jitter.seed: is below 0"},
      {R"({"links": [{"link": "node0-gpu0", "changes": [{"at": "1s", "factor": 0.5}]}]})",
       "links[0].link: the platform has no link \"node0-gpu0\"; the nearest is"},
      {R"({"links": [{"link": "node0-gpu0-nvlink_UP", "changes": []}]})",
       "links[0].changes: is empty; give at least one"},
      {R"({"links": [{"link": "node0-gpu0-nvlink_UP", "changes": [{"at": "1s", "factor": -1}]}]})",
       "links[0].changes[0].factor: is below 0; 0 means down, 1 as planned"},
      {R"({"links": [{"link": "x", "changes": [{"at": "2s", "factor": 1}, {"at": "1s", "factor": 1}]}]})",
       "links[0].changes[1]: is not after the change before it; sort them by \"at\""},
      {R"({"background": [{"from": "node0-gpu0", "to": "node0-gpu0", "bytes": "1GB"}]})",
       "background[0].to: is the device that sends; name another one"},
      {R"({"background": [{"from": "node0-gpu0", "to": "node0-gpu1", "bytes": "0B"}]})",
       "background[0].bytes: is not above 0"},
      {R"({"background": [{"from": "node0-gpu0", "to": "node0-gpu1", "bytes": "1GB", "limit": "0GBps"}]})",
       "background[0].limit: is not above 0; leave it out for no limit"},
      {R"({"background": [{"from": "node0-gpu0", "to": "node0-gpu1", "bytes": "1GB", "first": "2s", "until": "1s"}]})",
       "background[0].until: is not after \"first\""},
  };
  for (const auto& [value, message] : mistakes) {
    const std::string said = complaint("disturbances", value), expected = "mlp.json: $.disturbances." + message;
    EXPECT_EQ(said.substr(0, expected.size()), expected);
  }
}

// Programs of large machines take long to make.
TEST(ScenarioDisturbances, ThatTheEngineCannotFollowAreRefusedBeforeTheProgramIsMade) {
  Json json = scenario_with("disturbances", R"({"link_loss": {"share": 0.1, "factor": 0.5}})");
  json.set("engine", Json("analytic"));
  const Scenario scenario = load(json, "mlp.json");
  try {
    with_known_names(scenario, *load_platform(scenario.platform));
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "mlp.json: engine analytic: knows no shared links, so disturbances.link_loss means nothing to it; use "
              "engine simgrid");
  }
}

TEST(ScenarioDisturbances, LearnWhereThePlacementHasADevice) {
  Json json = scenario_with("disturbances", R"({"slowdowns": [{"device": "D1", "factor": 2}]})");
  json.set("placement", parse_json(R"({"devices": ["12-15"]})", "the test"));
  const auto complaint = [&] {
    try {
      run(load(json, "mlp.json"));
    } catch (const Error& error) {
      return error.problem();
    }
    return std::string();
  };
  EXPECT_EQ(complaint(), "the platform has no device \"D1\"; D1 of the results is \"node0-gpu12\" there");
  json.set("platform", parse_json(R"({"topology": "dgx2", "nodes": 4})", "the test"));
  json.set("disturbances", parse_json(R"({"slowdowns": [{"device": "D5", "factor": 2}]})", "the test"));
  EXPECT_EQ(complaint(), "the platform has no device \"D5\"; the first of 64 is \"node0-gpu0\"");
}

// What the summary says of ops is the time that they took, not the time that they were priced at.
TEST(ScenarioDisturbances, ShowInTheTimesOfOps) {
  const auto times = [](const std::string& value) {
    double compute = 0;
    for (const report::OpTime& op : run(load(scenario_with("disturbances", value), "mlp.json")).summary.ops)
      compute += op.name.starts_with("MPI") ? 0 : op.seconds.value();
    return compute;
  };
  const double planned = times("{}");
  EXPECT_NEAR(times(R"({"stragglers": {"share": 1, "factor": 1.5}})"), 1.5 * planned, 1e-9 * planned);
  // One of four devices takes three times as long.
  EXPECT_NEAR(times(R"({"slowdowns": [{"device": "node0-gpu1", "factor": 3}]})"), 1.5 * planned, 1e-9 * planned);
}

}  // namespace
}  // namespace foreflow::scenario::disturbances_test
