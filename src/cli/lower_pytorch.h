// `lower --target pytorch`: the script, and numbers to check it with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/lower/project.h"
#include "foreflow/lower/pytorch.h"

namespace foreflow::cli {

// The program of each device, or of each stream (lower::project), with progress on stderr.
std::map<ir::Device, ir::Module> projected(const ir::Module& module,
                                           const interpret::MixedInterpretation& interpretation, lower::Grain grain);

// Writes FOLDER/run.py and says on stdout how to run it; "-" writes the script itself to stdout.
void write_pytorch(const std::string& folder, const ir::Module& module,
                   const interpret::MixedInterpretation& interpretation, const std::string& title,
                   lower::Products products);

// Numbers for the parameters of the program: floats in [0, 1), integers 0 or 1.
std::vector<ir::Array> example_arguments(const ir::Module& module, uint64_t seed);

// Runs the program in the reference executor. Writes every argument to FOLDER/example/inputs/NAME.pb and every result
// to FOLDER/example/outputs/NAME.pb.
void write_example(const std::string& folder, const ir::Module& module, const std::vector<ir::Array>& arguments);

}  // namespace foreflow::cli
