// What several commands share: where results go, and how many workers there are.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/base/json.h"

namespace foreflow::cli {

// Writes `text` to the file when the option was given ("-": stdout).
void write_if_given(const std::string& path, std::string_view text);

// Writes text for people, of one line or several, to stdout. Whatever names are in it, a terminal shows them and obeys
// none (escape::terminal_lines).
void show(std::string_view text);

// The folder and those above it, where they are not there yet. Throws Error naming it.
void make_folder(const std::string& path);

// The machine-readable answer replaces the text on stdout when it goes there itself.
void answer(const std::string& json_path, const Json& json, std::string_view text);

// The folder that has Foreflow's own scenarios, calibration and published numbers: share/foreflow beside the command,
// which in a build folder is a link to the source tree, or else ../share/foreflow, where they are installed. It is
// found from the place of the command alone, so that an installed tree can be moved.
std::string data_folder();

// Worker processes where nobody says how many: one a core.
int default_workers();

}  // namespace foreflow::cli
