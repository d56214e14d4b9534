// Platforms from what tools say of a machine: `nvidia-smi topo -m`, `rocm-smi --showtopo`, hwloc's `lstopo --of xml`,
// and network files of ASTRA-sim. None of them says everything; what a file leaves out is assumed, and said.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/platform/data_sheet.h"
#include "foreflow/platform/topologies.h"

namespace foreflow::platform {

// The facts about a machine that the user states in addition to the file.
struct ImportOptions {
  int nodes                 = 1;        // equal servers, joined by one switch; a file of a whole network has its own
  DeviceChange device       = {};       // of all accelerators
  const NetworkDef* network = nullptr;  // of the network cards; null: assumed
};

struct Imported {
  std::string xml;                        // the platform, whose comment says what was assumed
  std::string_view format;                // the name of a row of import_formats()
  std::vector<std::string> assumed;       // what the file could not say, and what stands in its place
  std::vector<std::string> remarks = {};  // where the file and a data sheet disagree; the file counts
};

struct ImportFormat {
  std::string_view name;  // "nvidia-smi topo -m"
  std::string_view doc;
};

const std::vector<ImportFormat>& import_formats();

// The name of the format that import_platform recognises in the text; empty: it is in none.
std::string_view import_format(const std::string& text);

// Recognises the format by the text. Throws Error("FILE" or "FILE:LINE", ...) when it is none of them, or contradicts
// itself. Requires: 1 <= nodes.
Imported import_platform(const std::string& text, const std::string& file, const ImportOptions& options);

}  // namespace foreflow::platform
