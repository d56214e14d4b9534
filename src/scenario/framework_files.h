// The profiles of frameworks that the library knows, as written in frameworks/*.json.
#pragma once

#include <string_view>
#include <vector>

namespace foreflow::scenario {

struct FrameworkFile {
  std::string_view path, text;
};
const std::vector<FrameworkFile>& framework_files();

}  // namespace foreflow::scenario
