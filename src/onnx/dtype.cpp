#include "onnx/dtype.h"

#include <algorithm>
#include <array>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"

namespace foreflow::onnx {
namespace {

using ir::DType;

struct DTypeRow {
  std::string_view text;
  std::optional<DType> dtype;
};

// TensorProto.DataType up to IR version 12; a row's place is its number.
constexpr std::array<DTypeRow, 25> kTypes = {{
    {"UNDEFINED", {}},
    {"FLOAT", DType::f32},
    {"UINT8", DType::u8},
    {"INT8", DType::i8},
    {"UINT16", DType::u16},
    {"INT16", DType::i16},
    {"INT32", DType::i32},
    {"INT64", DType::i64},
    {"STRING", {}},
    {"BOOL", DType::boolean},
    {"FLOAT16", DType::f16},
    {"DOUBLE", DType::f64},
    {"UINT32", DType::u32},
    {"UINT64", DType::u64},
    {"COMPLEX64", {}},
    {"COMPLEX128", {}},
    {"BFLOAT16", DType::bf16},
    {"FLOAT8E4M3FN", DType::f8},
    {"FLOAT8E4M3FNUZ", DType::f8e4m3fnuz},
    {"FLOAT8E5M2", DType::f8e5m2},
    {"FLOAT8E5M2FNUZ", DType::f8e5m2fnuz},
    {"UINT4", DType::u4},
    {"INT4", DType::i4},
    {"FLOAT4E2M1", DType::f4e2m1},
    {"FLOAT8E8M0", DType::f8e8m0},
}};

bool known(int64_t number) { return number >= 0 && number < static_cast<int64_t>(kTypes.size()); }

}  // namespace

std::optional<DType> find_dtype(int64_t number) { return known(number) ? nth(kTypes, number).dtype : std::nullopt; }

int32_t number_of(DType dtype) {
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), [&](const DTypeRow& r) { return r.dtype == dtype; });
  FOREFLOW_CHECK(row != kTypes.end(), "every data type has a number in ONNX");
  return static_cast<int32_t>(row - kTypes.begin());
}

std::string dtype_text(int64_t number) {
  return known(number) ? std::string(nth(kTypes, number).text) : "number " + std::to_string(number);
}

}  // namespace foreflow::onnx
