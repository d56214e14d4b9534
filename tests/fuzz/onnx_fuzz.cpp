// `.onnx`: import from memory, print, give the open dimensions small sizes, interpret.
#include <charconv>

#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "fuzz/form.h"

namespace foreflow::fuzz::definitions::onnx_form {
namespace {

constexpr int64_t kOpenDimension = 2;

// What the file states, and a small size where it states a name or nothing.
std::map<std::string, ir::Dims> closed_shapes(const onnx::Imported& imported) {
  std::map<std::string, ir::Dims> shapes;
  for (const onnx::Port& input : imported.inputs) {
    std::vector<int64_t> dims;
    for (const std::string& text : input.dimensions) {
      int64_t dim       = kOpenDimension;
      const char* start = text.data();
      const char* end   = start + text.size();
      if (std::from_chars(start, end, dim).ptr != end) dim = kOpenDimension;
      dims.push_back(dim);
    }
    if (!dims.empty()) shapes.emplace(input.value, ir::Dims(dims));
  }
  return shapes;
}

void take(std::string_view bytes) {
  const onnx::Imported imported = onnx::import_bytes(bytes, "fuzz.onnx", ops::table());
  check_text(imported.module);
  interpret(scenario::with_shapes(imported, closed_shapes(imported), "--shape"));
}

}  // namespace

Form row() { return {"onnx", take}; }

}  // namespace foreflow::fuzz::definitions::onnx_form
