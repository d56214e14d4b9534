#include "reproduce/measured_file.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>

#include "foreflow/base/error.h"

namespace foreflow::reproduce {

std::string measured_file(const Options& options, std::string_view file) {
  const char* const chosen          = std::getenv("FOREFLOW_SHARED");
  const std::filesystem::path there = chosen != nullptr
                                          ? std::filesystem::path(chosen)
                                          : std::filesystem::weakly_canonical(options.folder).parent_path() / "shared";
  const std::filesystem::path path  = there / "data" / file;
  if (!std::filesystem::exists(path))
    throw Error(path.string(), fmt::format("the measurements are not there; FOREFLOW_SHARED names the folder that has "
                                           "data/{}",
                                           std::filesystem::path(file).parent_path().string()));
  return path.string();
}

std::string bias_note(std::string_view what, const Result& result) {
  double sum = 0;
  for (const Row& row : result.rows) sum += row.relative_error.value_or(0);
  return fmt::format("{}; mean of the signed errors {:+.1f} %", what,
                     100 * sum / static_cast<double>(result.rows.size()));
}

}  // namespace foreflow::reproduce
