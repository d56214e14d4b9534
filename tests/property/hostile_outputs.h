// Everything that the library writes names into, as functions of one name that stands wherever a name can stand.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace foreflow::test {

enum class Language : uint8_t { terminal, json, csv, markup, dot };

struct Output {
  std::string label;
  Language language;
  std::function<std::string(const std::string& name)> write;
};

// The writers of the table of reports are all among them.
std::vector<Output> named_outputs();

}  // namespace foreflow::test
