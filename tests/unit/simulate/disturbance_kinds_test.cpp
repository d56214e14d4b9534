// The rows of the kinds of disturbances.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "foreflow/simulate/disturbance_kind.h"
#include "support/machine.h"

namespace foreflow::simulate::disturbance_kinds_test {
namespace {

NamedDisturbances read(const std::string& text) {
  const Json json = parse_json(text, "the test");
  return read_disturbances(JsonView(json, "the test"));
}

template <typename Action>
std::string problem_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.problem();
  }
  return "no error";
}

TEST(DisturbanceKinds, RefuseKeysThatTheirRowsDoNotHave) {
  for (const DisturbanceDef& kind : disturbance_kinds()) {
    ASSERT_FALSE(kind.objects.empty()) << kind.name;
    EXPECT_EQ(kind.objects.front().path, std::string(kind.name) + (kind.type.is_list ? "[]" : ""));
    EXPECT_FALSE(kind.is_given({})) << kind.name;
    const std::string key   = kind.objects.front().keys.front().name;
    const std::string value = "{\"" + key + "x\": 1}";
    const std::string text =
        "{\"" + std::string(kind.name) + "\": " + (kind.type.is_list ? "[" + value + "]" : value) + "}";
    EXPECT_EQ(problem_of([&] { read(text); }), fmt::format(R"(unknown key "{0}x"; the nearest is "{0}")", key));
  }
}

TEST(DisturbanceKinds, KeepEveryNameOnceWithItsFirstPlace) {
  const NamedDisturbances named = read(R"({"slowdowns":  [{"device": "b", "factor": 2}, {"device": "a", "factor": 3}],
                                           "background": [{"from": "a", "to": "c", "bytes": "1B"}]})");
  ASSERT_EQ(named.devices.size(), 3U);
  EXPECT_EQ(named.devices[0].name, "b");
  EXPECT_EQ(named.devices[1].where, "the test: $.slowdowns[1].device");
  EXPECT_EQ(named.planned.background[0].from, 1);
  EXPECT_EQ(named.planned.background[0].to, 2);
}

// A value is refused with the same words in a scenario and in a program that uses the library.
TEST(DisturbanceKinds, SayTheSameOfAValueWhereverItComesFrom) {
  struct Mistake {
    std::string text;
    Disturbances same;
  };
  const Seconds one(1), two(2);
  const std::vector<Mistake> mistakes = {
      {R"({"slowdowns": [{"device": "a", "factor": 0}]})", {.slowdowns = {{0, 0}}}},
      {R"({"slowdowns": [{"device": "a", "factor": 2, "from": "2s", "until": "1s"}]})",
       {.slowdowns = {{0, 2, two, one}}}},
      {R"({"jitter": {"amplitude": 1}})", {.jitter = {1, 0}}},
      {R"({"stragglers": {"share": 1.5, "factor": 2}})", {.stragglers = {1.5, 2}}},
      {R"({"stragglers": {"share": 0.5, "factor": 0.9}})", {.stragglers = {0.5, 0.9}}},
      {R"({"link_loss": {"share": -1, "factor": 0.5}})", {.link_loss = {-1, 0.5}}},
      {R"({"link_loss": {"share": 0.1, "factor": 0}})", {.link_loss = {0.1, 0}}},
      {R"({"links": [{"link": "a", "changes": []}]})", {.links = {{0, {}}}}},
      {R"({"links": [{"link": "a", "changes": [{"at": "2s", "factor": 1}, {"at": "1s", "factor": 1}]}]})",
       {.links = {{0, {{two, 1}, {one, 1}}}}}},
      {R"({"links": [{"link": "a", "changes": [{"factor": 1}]}, {"link": "a", "changes": [{"factor": 1}]}]})",
       {.links = {{0, {{one, 1}}}, {0, {{one, 1}}}}}},
      {R"({"background": [{"from": "a", "to": "a", "bytes": "1B"}]})", {.background = {{0, 0, Bytes(1)}}}},
      {R"({"background": [{"from": "a", "to": "b", "bytes": "0B"}]})", {.background = {{0, 1, Bytes(0)}}}},
  };
  const platform::Platform platform = test::star(2, BytesPerSecond(1e9), Seconds(0));
  for (const auto& mistake : mistakes) {
    const auto& text       = mistake.text;
    const std::string said = problem_of([&] { read(text); });
    EXPECT_NE(said, "no error") << text;
    EXPECT_EQ(problem_of([&] { check(mistake.same, platform); }), said) << text;
  }
}

}  // namespace
}  // namespace foreflow::simulate::disturbance_kinds_test
