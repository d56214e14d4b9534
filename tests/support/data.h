// Files of tests/data: exact results, published numbers and hardware facts that tests compare with. They ship with the
// source, so no test that reads one is ever skipped.
#pragma once

#include <string>

namespace foreflow::test {

// The path of a file in tests/data ("hardware_facts.csv"). Throws Error when there is none.
std::string data(const std::string& name);

}  // namespace foreflow::test
