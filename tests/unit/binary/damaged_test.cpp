// A file that is not what `write` made ends in one line that says so.
#include <gmock/gmock.h>

#include "binary/checksum.h"
#include "binary/file.h"
#include "foreflow/binary/distirb.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "unit/onnx/bytes.h"

namespace foreflow::binary::damaged_test {
namespace {

using test::Wire;
using ::testing::HasSubstr;

constexpr std::string_view kProgram = R"(func @f(weight %w: Tensor[Float32, (4, 4), 1], %x: D1) {
  %y: D1 = Gemm[alpha = 0.5](%x, %w)
  %z: D2.comm = Send(%y, 2.comm)
  return %z
}
)";

std::string file() { return write(ir::parse(kProgram, "text", ops::table())); }

std::string error_of(const std::string& bytes) {
  try {
    read(bytes, "m.distirb", ops::table());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(DamagedDistirb, IsRefusedWhateverBitFlips) {
  const std::string whole = file();
  for (size_t byte = 0; byte < whole.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes       = whole;
      bytes[byte]             = static_cast<char>(bytes[byte] ^ (1 << bit));
      const std::string error = error_of(bytes);
      ASSERT_THAT(error, HasSubstr("m.distirb: ")) << "byte " << byte << " bit " << bit;
      ASSERT_EQ(error.find('\n'), std::string::npos);
    }
  }
}

TEST(DamagedDistirb, IsRefusedWhateverByteChanges) {
  const std::string whole = file();
  for (size_t byte = 0; byte < whole.size(); ++byte) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string bytes = whole;
      if (bytes[byte] == value) continue;
      bytes[byte] = value;
      ASSERT_NE(error_of(bytes), "") << "byte " << byte;
    }
  }
}

TEST(DamagedDistirb, IsRefusedWhereverItIsCutOff) {
  const std::string whole = file();
  for (size_t size = 0; size < whole.size(); ++size) ASSERT_NE(error_of(whole.substr(0, size)), "") << size << " bytes";
  EXPECT_NE(error_of(whole + "more"), "");
  EXPECT_NE(error_of(whole + whole), "");
}

TEST(DamagedDistirb, SaysWhatItIsNot) {
  EXPECT_EQ(error_of(""), "m.distirb: is no .distirb file: it does not begin like one");
  EXPECT_EQ(error_of(std::string(kProgram)), "m.distirb: is no .distirb file: it does not begin like one");
  const std::string whole = file();
  EXPECT_EQ(error_of(whole.substr(0, whole.size() - 1)),
            "m.distirb: is damaged: its bytes end too early, or are no message; write it again");
}

// Fields of a File, as distir.proto numbers them.
std::string file_of_version(int64_t version, const std::string& rest) {
  return Wire().bytes(1, "distirb").number(2, version).text + rest;
}

TEST(NewerDistirb, IsNamedAsSuchWhateverTheRestIs) {
  const std::string expected =
      "m.distirb: was written in format version 7; this foreflow reads versions up to 1: use a newer one, or have the "
      "program written as .distir text";
  EXPECT_EQ(error_of(file_of_version(7, "")), expected);
  EXPECT_EQ(error_of(file_of_version(7, Wire().bytes(5, "something else").text)), expected);
  EXPECT_EQ(error_of(file_of_version(7, "\x22\x7f cut off")), expected);
  EXPECT_EQ(error_of(file_of_version(0, "")), "m.distirb: is damaged: it states no format version; write it again");
}

TEST(Distirb, WithAnOpThatIsNotHereNamesIt) {
  const ir::OpTable none("op", "ops", {*ops::table().find("Gemm")});
  try {
    read(file(), "m.distirb", none);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "m.distirb: unknown op \"Send\"; use Gemm (see: foreflow list ops)");
  }
}

TEST(Checksum, IsThatOfZipFiles) {
  EXPECT_EQ(checksum(""), 0u);
  EXPECT_EQ(checksum("123456789"), 0xCBF43926u);  // the check value in the catalogue of CRCs (reveng.sourceforge.io)
}

}  // namespace
}  // namespace foreflow::binary::damaged_test
