// Writes PyTorch scripts with inputs and expected outputs, and runs them with a Python that has torch.
#pragma once

#include <string>
#include <vector>

#include "foreflow/ir/module.h"
#include "support/temporary.h"

namespace foreflow::test {

// $FOREFLOW_PYTHON, or else the first of /usr/bin/python3 and python3 that has torch. Empty: there is none.
std::string find_python();

// Writes FOLDER/run.py for the module, the numbers of its parameters to FOLDER/example/inputs and what the reference
// executor makes of them to FOLDER/example/outputs. Returns the number of ranks.
size_t write_case(const std::string& folder, const ir::Module& module, const std::vector<ir::Array>& arguments);

// Runs `python tests/pytorch/SCRIPT arguments...` with one thread an operation; its exit code, and all that it wrote.
struct PythonResult {
  int exit_code;
  std::string text;
};
PythonResult run_python(const std::string& python, const std::vector<std::string>& arguments);

}  // namespace foreflow::test

// Binds `variable` to the Python with torch, or skips the test.
#define FOREFLOW_PYTHON_OR_SKIP(variable)                                                               \
  const std::string variable = ::foreflow::test::find_python();                                         \
  if (variable.empty())                                                                                 \
  GTEST_SKIP() << "no Python with torch here; ./bootstrap test --with-torch installs Debian's (or set " \
                  "FOREFLOW_PYTHON)"
