#include "foreflow/platform/import.h"

#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/text.h"
#include "platform/imports/imports.h"

namespace foreflow::platform {
namespace {

const std::vector<imports::Reader>& readers() {
  static const std::vector<imports::Reader> rows = {imports::nvidia_smi(), imports::rocm_smi(), imports::hwloc(),
                                                    imports::astra_sim()};
  return rows;
}

}  // namespace

const std::vector<ImportFormat>& import_formats() {
  static const std::vector<ImportFormat> rows = [] {
    std::vector<ImportFormat> formats;
    for (const imports::Reader& reader : readers()) formats.push_back(reader.format);
    return formats;
  }();
  return rows;
}

std::string_view import_format(const std::string& text) {
  const auto reader = std::find_if(readers().begin(), readers().end(),
                                   [&](const imports::Reader& candidate) { return candidate.recognises(text); });
  return reader == readers().end() ? "" : reader->format.name;
}

Imported import_platform(const std::string& text, const std::string& file, const ImportOptions& options) {
  for (const imports::Reader& reader : readers()) {
    if (!reader.recognises(text)) continue;
    Imported imported = reader.read({text, file}, options);
    imported.format   = reader.format.name;
    return imported;
  }
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) names.push_back(fmt::format("{} ({})", format.name, format.doc));
  throw Error(file, fmt::format("is in no format that is known; give the text of {}", list_or(names)));
}

}  // namespace foreflow::platform
