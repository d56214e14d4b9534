#include "reproduce/measured_file.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>

#include "foreflow/base/error.h"

namespace foreflow::reproduce {

namespace fs = std::filesystem;

std::string measured_file(const Options& options, std::string_view file) {
  const char* const chosen = std::getenv("FOREFLOW_SHARED");
  const fs::path shared =
      chosen != nullptr ? fs::path(chosen) : fs::weakly_canonical(options.folder).parent_path() / "shared";
  const fs::path there = shared / "data" / file, here = fs::path(options.folder) / "tests/data" / file;
  for (const fs::path& path : {there, here}) {
    if (fs::exists(path)) return path.string();
  }
  const std::string kind = fs::path(file).parent_path().string();
  throw Error(there.string(), fmt::format("the measurements are not there; they belong in data/{} of the folder that "
                                          "FOREFLOW_SHARED names, or in tests/data/{} of the one that --data names",
                                          kind, kind));
}

std::string bias_note(std::string_view what, const Result& result) {
  double sum = 0;
  for (const Row& row : result.rows) sum += row.relative_error.value_or(0);
  return fmt::format("{}; mean of the signed errors {:+.1f} %", what,
                     100 * sum / static_cast<double>(result.rows.size()));
}

}  // namespace foreflow::reproduce
