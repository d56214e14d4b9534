// The files that commands read and write. Options that name them are marked where they are declared, so that every
// command refuses, before it works, to write two answers to one file or an answer over a file that it reads.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace foreflow::cli {

// Marks on options; each returns its option. A value of `reads` is a file, of `reads_named` NAME=FILE; one of
// `reads_scenario` is a scenario, which names further files, or another file or the name of a topology. A value of
// `writes` is a file, or "-" for stdout; of `keeps` a file that is read and added to; of `writes_outputs` a folder for
// output_0.pb and so on, of `writes_ranks` one for D1.distir and so on.
CLI::Option* reads(CLI::Option* option);
CLI::Option* reads_named(CLI::Option* option);
CLI::Option* reads_scenario(CLI::Option* option);
CLI::Option* writes(CLI::Option* option);
CLI::Option* keeps(CLI::Option* option);
CLI::Option* writes_outputs(CLI::Option* option);
CLI::Option* writes_ranks(CLI::Option* option);

// A file as the words of a command name it.
struct NamedFile {
  std::string words;  // "--json out.json", for messages
  std::string path;   // "-" is stdout; empty: none
};

// Throws Error if two of `written` are one file (under whatever names) or both go to stdout, or if one of them is a
// file of `read`. Devices and pipes may be written by several.
void check_apart(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read);

// check_apart for the options that a parsed command has been given; throws Error also if the folder of a file of
// `writes` is not there, if what is to be written has an empty name, and if a file of `keeps` is "-".
void check_files(CLI::App& command);

}  // namespace foreflow::cli
