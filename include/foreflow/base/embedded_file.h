// Files of the source tree that are part of the library, so that it finds them wherever it is installed.
#pragma once

#include <string_view>
#include <vector>

namespace foreflow {

struct EmbeddedFile {
  std::string_view path;  // in the source tree: "frameworks/nemo.json"
  std::string_view text;
};

// In the order of their paths.
const std::vector<EmbeddedFile>& framework_files();    // frameworks/*.json: profiles of frameworks
const std::vector<EmbeddedFile>& calibration_files();  // calibration/devices/*.json: calibrations of devices
const std::vector<EmbeddedFile>& here_files();         // scenarios/here/*.json: what `calibrate --here` runs

}  // namespace foreflow
