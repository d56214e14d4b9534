#include "foreflow/reshard/spec.h"

#include <fmt/format.h>

#include <set>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"

namespace foreflow::reshard {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

struct Axes {
  std::string digits;  // "": they are malformed
  size_t length;       // with what surrounds them
};

// Reads the axes after an S, with which `text` begins: "01", "^0", "^{01}".
Axes axes_of(std::string_view text) {
  const bool raised = text.starts_with('^'), braced = text.starts_with("^{");
  const size_t first = braced ? 2 : raised ? 1 : 0;
  size_t last        = first;
  while (last < text.size() && is_digit(text[last]) && (!raised || braced || last == first)) ++last;
  if (braced && !text.substr(last).starts_with('}')) return {"", last};
  return {std::string(text.substr(first, last - first)), braced ? last + 1 : last};
}

}  // namespace

Spec parse_spec(std::string_view text, const std::string& where) {
  const auto refuse = [&](const std::string& why) {
    throw Error(where, fmt::format("\"{}\" is no sharding spec: {}; use R or S and mesh dimensions for each dimension "
                                   "of the tensor, such as S0RR or RS01R",
                                   text, why));
  };
  Spec spec;
  std::set<int> used;
  for (size_t at = 0; at < text.size();) {
    const char letter = text[at++];
    if (letter != 'R' && letter != 'S') refuse(fmt::format("character {} is neither R nor S", at));
    spec.split.emplace_back();
    if (letter == 'R') continue;
    const Axes axes = axes_of(text.substr(at));
    at += axes.length;
    for (const char digit : axes.digits) spec.split.back().push_back(digit - '0');
    if (spec.split.back().empty()) refuse("an S has no mesh dimension");
    for (const int axis : spec.split.back()) {
      if (!used.insert(axis).second) refuse(fmt::format("it uses mesh dimension {} twice", axis));
    }
  }
  if (spec.split.empty()) refuse("it is empty");
  return spec;
}

std::string print(const Spec& spec) {
  std::string text;
  for (const auto& axes : spec.split) {
    text += axes.empty() ? 'R' : 'S';
    for (const int axis : axes) text += std::to_string(axis);
  }
  return text;
}

void check(const Spec& spec, const std::vector<int>& mesh_shape, size_t rank, const std::string& where) {
  if (spec.split.size() != rank) {
    throw Error(where, fmt::format("{} is of {} dimensions, but the tensor has {}; give one R or S for each",
                                   print(spec), spec.split.size(), rank));
  }
  std::set<int> used;
  for (const auto& axes : spec.split) {
    for (const int axis : axes) {
      if (axis < 0 || axis >= static_cast<int>(mesh_shape.size())) {
        throw Error(where, fmt::format("{} uses mesh dimension {}, but the mesh {} has {}", print(spec), axis,
                                       print(mesh_shape), mesh_shape.size()));
      }
      if (!used.insert(axis).second)
        throw Error(where, fmt::format("{} uses mesh dimension {} twice", print(spec), axis));
    }
  }
}

std::vector<int> parts(const Spec& spec, const std::vector<int>& mesh_shape) {
  std::vector<int> result;
  for (const auto& axes : spec.split) {
    int count = 1;
    for (const int axis : axes) count *= nth(mesh_shape, axis);
    result.push_back(count);
  }
  return result;
}

}  // namespace foreflow::reshard
