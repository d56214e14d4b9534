#include "support/shared.h"

#include <cstdlib>

namespace foreflow::test {

std::filesystem::path shared_folder() {
  if (const char* chosen = std::getenv("FOREFLOW_SHARED")) return chosen;
  const std::filesystem::path source = FOREFLOW_SOURCE_DIR;
  for (const auto& folder : {source / "../shared", source / "../../shared"}) {
    if (std::filesystem::is_directory(folder)) return std::filesystem::canonical(folder);
  }
  return {};
}

std::filesystem::path find_shared(const std::filesystem::path& name) {
  const std::filesystem::path folder = shared_folder();
  if (folder.empty() || !std::filesystem::exists(folder / name)) return {};
  return folder / name;
}

}  // namespace foreflow::test
