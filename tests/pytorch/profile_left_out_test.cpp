// calibration/profile.py leaves out rows that it does not understand, and those whose results have other shapes than
// the signature says: what the other test finds measured had the right ones.
#include <gmock/gmock.h>

#include <sstream>

#include "foreflow/base/text.h"
#include "pytorch/scripts.h"

namespace foreflow::test {
namespace {

constexpr const char* kColumns =
    "kind,rank,op,dtype,signature,ranks,flops,bytes_read,bytes_written,message_bytes,count,seconds,seconds_min\n";

struct Measured {
  int exit_code;
  std::string messages;
  std::vector<std::string> rows;
};

Measured profile(const std::string& python, const TemporaryFolder& folder) {
  const PythonResult result = run_python(
      python, {FOREFLOW_SOURCE_DIR "/calibration/profile.py", folder / "events.csv", "-o", folder / "times.csv",
               "--device", "cpu", "--warm-up", "0", "--repeat", "3", "--seconds", "0.01"});
  Measured measured{result.exit_code, result.text, {}};
  if (result.exit_code != 0) return measured;
  std::istringstream times(read_file(folder / "times.csv"));
  for (std::string line; std::getline(times, line);) {
    if (line.starts_with("compute,")) measured.rows.push_back(line);
  }
  return measured;
}

TEST(ProfileScriptRows, NamesWhatItLeavesOutAndMeasuresTheRest) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  const TemporaryFolder folder;
  std::string events = kColumns;
  for (const char* signature : {"NoSuchOp(f32[4x8]) -> f32[4x8]", "Gelu{shape=3}(f32[4x8]) -> f32[4x8]",
                                "Add(f4e2m1[4x8] f4e2m1[4x8]) -> f4e2m1[4x8]", "MatMul(f32[4x8] f32[4x8]) -> f32[4x8]",
                                "Relu(f32[4x8]) -> f32[8x4]", "Relu(f32[4x8]) -> f32[4x8]"})
    events += std::string("compute,0,Op,f32,\"") + signature + "\",1,0,0,0,0,1,0,0\n";
  write_file(folder / "events.csv", events);
  const Measured measured = profile(python, folder);
  ASSERT_EQ(measured.exit_code, 0) << measured.messages;
  ASSERT_EQ(measured.rows.size(), 1U) << measured.messages;
  EXPECT_THAT(measured.rows[0], testing::HasSubstr("Relu(f32[4x8]) -> f32[4x8],1,0,0,0,0,3,"));
  for (const char* reason : {"op is not in OPS", "attribute shape", "type f4e2m1[4x8]",
                             "MatMul(f32[4x8] f32[4x8]) -> f32[4x8]: ", "results have the shapes [[4, 8]]"})
    EXPECT_THAT(measured.messages, testing::HasSubstr(reason));
}

}  // namespace
}  // namespace foreflow::test
