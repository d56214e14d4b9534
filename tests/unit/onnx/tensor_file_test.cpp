#include "foreflow/onnx/tensor_file.h"

#include <gtest/gtest.h>

#include "support/temporary.h"
#include "unit/onnx/bytes.h"

namespace foreflow::onnx::tensor_file_test {
namespace {

using namespace foreflow::test;
using ir::Array;
using ir::DType;

std::string complaint(const std::string& bytes) {
  try {
    parse_tensor(bytes, "t.pb");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(TensorFile, HoldsEveryDataTypeBitForBit) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "tensor.pb";
  for (int number = 0; number < ir::kDTypes; ++number) {
    const auto dtype = static_cast<DType>(number);
    Array array(dtype, {2, 3});
    for (size_t i = 0; i < array.byte_count(); ++i)
      array.mutable_bytes()[i] = std::byte(dtype == DType::boolean ? i % 2 : ir::bits_of(dtype) == 4 ? i : 17 * i);
    write_tensor_file(path, {"x", array});
    const NamedArray back = read_tensor_file(path);
    EXPECT_EQ(back.array, array) << ir::name(dtype);
    EXPECT_EQ(back.name, "x");
  }
}

TEST(TensorFile, ReadsNumbersInTypedFields) {
  EXPECT_EQ(parse_tensor(tensor("", 1, {2}).real(4, 0.5f).real(4, -2).text, "t.pb").array,
            Array::of_floats({2}, {0.5f, -2}));
  EXPECT_EQ(parse_tensor(tensor("", 7, {}).number(7, -3).text, "t.pb").array, Array::scalar(int64_t{-3}));
  EXPECT_EQ(parse_tensor(tensor("", 9, {2}).number(5, 0).number(5, 1).text, "t.pb").array.at(1), 1.0);
  EXPECT_EQ(parse_tensor(tensor("", 10, {1}).number(5, 0x3c00).text, "t.pb").array.at(0),
            1.0);  // half a word of int32_data
  EXPECT_EQ(parse_tensor(tensor("", 1, {0, 4}).text, "t.pb").array, Array(DType::f32, {0, 4}));
}

TEST(TensorFile, HoldsTwoNumbersOfFourBitsInAByte) {
  const auto packed = [](int type, const std::string& raw) { return tensor("", type, {3}).bytes(9, raw).text; };
  EXPECT_EQ(parse_tensor(packed(22, "\x1f\x08"), "t.pb").array,
            Array::of<int8_t>(DType::i4, {3}, std::vector<int8_t>{-1, 1, -8}));
  EXPECT_EQ(parse_tensor(packed(21, "\x1f\x08"), "t.pb").array,
            Array::of<uint8_t>(DType::u4, {3}, std::vector<uint8_t>{15, 1, 8}));
  EXPECT_EQ(parse_tensor(packed(23, "\x1f\x07"), "t.pb").array.to_ints(), (std::vector<int64_t>{-6, 0, 6}));
  EXPECT_EQ(parse_tensor(packed(23, "\x1f\x07"), "t.pb").array.at(1), 0.5);
  EXPECT_EQ(parse_tensor(tensor("", 22, {3}).number(5, 0x1f).number(5, 8).text, "t.pb").array.to_ints(),
            (std::vector<int64_t>{-1, 1, -8}));
  EXPECT_EQ(print_tensor({"", Array(DType::u4, {3})}).size(), print_tensor({"", Array(DType::u8, {2})}).size());
  EXPECT_EQ(complaint(packed(22, "abc")), "t.pb: holds 3 bytes; INT4 (3,) needs 2");
  EXPECT_EQ(complaint(tensor("", 22, {3}).number(5, 1).text), "t.pb: holds 1 numbers; INT4 (3,) needs 2");
}

TEST(TensorFile, SaysWhatIsWrong) {
  EXPECT_EQ(complaint(""), "t.pb: is empty; expected an ONNX tensor");
  EXPECT_EQ(complaint("xyz"), "t.pb: is not an ONNX tensor, or only a part of one");
  EXPECT_EQ(complaint(Wire().number(1, 3).text), "t.pb: is not an ONNX tensor: it states no data type");
  EXPECT_EQ(complaint(tensor("", kString, {1}).bytes(6, "a").text), "t.pb: data type STRING is not supported");
  EXPECT_EQ(complaint(tensor("", kComplex64, {1}).text), "t.pb: data type COMPLEX64 is not supported");
  EXPECT_EQ(complaint(tensor("", 1, {2}).real(4, 1).text), "t.pb: holds 1 numbers; FLOAT (2,) needs 2");
  EXPECT_EQ(complaint(tensor("", 1, {2}).bytes(9, "abc").text), "t.pb: holds 3 bytes; FLOAT (2,) needs 8");
  EXPECT_EQ(complaint(tensor("", 1, {2}).number(14, 1).text),
            "t.pb: keeps its numbers in another file; they must stand here");
  EXPECT_THROW(write_tensor_file("/no/such/folder/t.pb", {"", Array::scalar(1.0f)}), Error);
  EXPECT_THROW(print_tensor({"t", Array::tuple({})}), Error);
}

}  // namespace
}  // namespace foreflow::onnx::tensor_file_test
