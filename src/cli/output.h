// Shared by several commands: output files, and the number of workers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/json.h"

namespace foreflow::cli {

// Writes `text` to the file when the option was given ("-": stdout).
void write_if_given(const std::string& path, std::string_view text);

// Throws Error if the extension of `path`, the file of -o, is known as that of another kind of file than `what`, which
// is written there. `names` are what it may be called: "FILE.xml". Other extensions, and none, are as the user likes.
void check_extension(const std::string& path, std::string_view what, const std::vector<std::string>& names);

// Writes text for people to stdout, escaped by escape::terminal_lines, so that no name in it can control the terminal.
void show(std::string_view text);

// Creates the folder and its parents if they do not exist. Throws Error naming the folder.
void make_folder(const std::string& path);

// The machine-readable answer replaces the text on stdout when it goes there itself.
void answer(const std::string& json_path, const Json& json, std::string_view text);

// The folder that has Foreflow's own scenarios, calibration and published numbers: share/foreflow beside the command,
// which in a build folder is a link to the source tree, or else ../share/foreflow, where they are installed. It is
// found from the place of the command alone, so that an installed tree can be moved.
std::string data_folder();

// Default number of worker processes: one per core.
int default_workers();

}  // namespace foreflow::cli
