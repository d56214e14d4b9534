#include "foreflow/reshard/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/base/error.h"

namespace foreflow::reshard::spec_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class Call>
std::string problem(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.problem();
  }
  return "no error";
}

TEST(ReshardSpec, ReadsThePlainAndTheRaisedForm) {
  for (const char* text : {"RS01R", "RS^{01}R"}) {
    const Spec spec = parse_spec(text, "--src-spec");
    EXPECT_THAT(spec.split, ElementsAre(ElementsAre(), ElementsAre(0, 1), ElementsAre())) << text;
    EXPECT_EQ(print(spec), "RS01R");
  }
  EXPECT_EQ(print(parse_spec("S^1S^0", "--src-spec")), "S1S0");
  EXPECT_EQ(print(parse_spec("S^{1}S^{0}R", "--src-spec")), "S1S0R");
}

TEST(ReshardSpec, SaysWhatIsWrong) {
  const auto read = [](const char* text) { return problem([&] { parse_spec(text, "--src-spec"); }); };
  EXPECT_THAT(read(""), HasSubstr("it is empty"));
  EXPECT_THAT(read("SRR"), HasSubstr("an S has no mesh dimension"));
  EXPECT_THAT(read("S^{0RR"), HasSubstr("an S has no mesh dimension"));
  EXPECT_THAT(read("S0xR"), HasSubstr("character 3 is neither R nor S"));
  EXPECT_THAT(read("S0S0"), HasSubstr("it uses mesh dimension 0 twice"));
}

TEST(ReshardSpec, FitsItsTensorAndItsMesh) {
  const auto fit = [](const char* text, const std::vector<int>& mesh, size_t rank) {
    return problem([&] { check(parse_spec(text, "--src-spec"), mesh, rank, "--src-spec"); });
  };
  EXPECT_EQ(fit("S0RR", {2, 4}, 3), "no error");
  EXPECT_THAT(fit("S0RR", {2, 4}, 2), HasSubstr("is of 3 dimensions, but the tensor has 2"));
  EXPECT_THAT(fit("S2RR", {2, 4}, 3), HasSubstr("uses mesh dimension 2, but the mesh 2x4 has 2"));
}

TEST(ReshardSpec, PartsAreTheProductOfTheMeshDimensions) {
  EXPECT_THAT(parts(parse_spec("RS12S0", "here"), {2, 3, 5}), ElementsAre(1, 15, 2));
}

TEST(ReshardMesh, ReadsItsShape) {
  EXPECT_THAT(parse_shape("2x4", "--src-mesh"), ElementsAre(2, 4));
  EXPECT_THAT(parse_shape("8", "--src-mesh"), ElementsAre(8));
  for (const char* text : {"", "2x", "2x0", "-1x2", "2*4", "65536x65536"})
    EXPECT_NE(problem([&] { parse_shape(text, "--src-mesh"); }), "no error") << text;
}

}  // namespace
}  // namespace foreflow::reshard::spec_test
