#include "support/data.h"

#include <filesystem>

#include "foreflow/base/error.h"

namespace foreflow::test {

std::string data(const std::string& name) {
  const std::string path = std::string(FOREFLOW_SOURCE_DIR) + "/tests/data/" + name;
  if (!std::filesystem::exists(path)) throw Error(path, "is missing; it is part of the source tree");
  return path;
}

}  // namespace foreflow::test
