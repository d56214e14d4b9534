#include <algorithm>

#include "foreflow/base/error.h"
#include "foreflow/base/suggestion.h"
#include "foreflow/onnx/import.h"
#include "onnx/message.h"

namespace foreflow::onnx {
namespace {

bool is_symbol(const std::string& dimension) {
  return dimension != "?" && dimension.find_first_not_of("0123456789") != std::string::npos;
}

std::vector<std::string> symbols_of(const std::vector<Port>& inputs) {
  std::vector<std::string> symbols;
  for (const Port& input : inputs) {
    for (const std::string& dimension : input.dimensions) {
      if (is_symbol(dimension) && std::find(symbols.begin(), symbols.end(), dimension) == symbols.end())
        symbols.push_back(dimension);
    }
  }
  return symbols;
}

void check_symbol(const std::string& symbol, const std::vector<std::string>& symbols, const std::string& where) {
  if (std::find(symbols.begin(), symbols.end(), symbol) != symbols.end()) return;
  if (symbols.empty()) throw Error(where, "no input of the model has a dimension " + quote(symbol) + ", nor any other");
  throw Error(where, "no input of the model has a dimension " + quote(symbol) + suggestion(symbol, symbols));
}

struct Bound {
  int64_t size;
  std::string by;  // the place that says so
};

const ir::Dims* shape_of(const Port& input, const std::map<std::string, ir::Dims>& shapes) {
  const auto found = shapes.find(input.name);
  if (found != shapes.end()) return &found->second;
  const auto text = shapes.find(input.value);
  return text == shapes.end() ? nullptr : &text->second;
}

}  // namespace

std::map<std::string, int64_t> symbol_sizes(const std::vector<Port>& inputs, const Given& given,
                                            const std::string& shapes_place, const std::string& dims_place) {
  std::map<std::string, Bound> bound;
  const std::vector<std::string> symbols = symbols_of(inputs);
  for (const auto& [symbol, size] : given.dims) {
    check_symbol(symbol, symbols, dims_place);
    bound.emplace(symbol, Bound{size, dims_place});
  }
  for (const Port& input : inputs) {
    const ir::Dims* shape = shape_of(input, given.shapes);
    if (shape == nullptr || shape->size() != input.dimensions.size()) continue;  // the model may state no dimensions
    for (size_t i = 0; i < shape->size(); ++i) {
      const std::string& symbol = input.dimensions[i];
      if (!is_symbol(symbol)) continue;
      const auto [known, fresh] = bound.emplace(symbol, Bound{(*shape)[i], "the shape of " + quote(input.name)});
      if (fresh || known->second.size == (*shape)[i]) continue;
      throw Error(shapes_place, "the shape " + ir::to_string(*shape) + " of " + quote(input.name) + " makes " +
                                    quote(symbol) + " " + std::to_string((*shape)[i]) + ", but " + known->second.by +
                                    " makes it " + std::to_string(known->second.size));
    }
  }
  std::map<std::string, int64_t> sizes;
  for (const auto& [symbol, one] : bound) sizes.emplace(symbol, one.size);
  return sizes;
}

}  // namespace foreflow::onnx
