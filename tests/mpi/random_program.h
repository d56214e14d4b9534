// Random distributed programs: any devices, streams, groups, calls and collectives, in any order that is a program.
#pragma once

#include <random>
#include <string>

namespace foreflow::test {

// The `.distir` text of a program over 2 to `most_devices` devices with `ops` ops. All its parameters are annotated,
// and whatever is not used is returned.
std::string random_program(std::mt19937_64& random, int most_devices, int ops);

}  // namespace foreflow::test
