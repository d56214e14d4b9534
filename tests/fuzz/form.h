// What is fuzzed: one row for each form of input. The same functions serve the fuzzers and the replay test.
#pragma once

#include <string_view>

#include "foreflow/base/registry.h"
#include "foreflow/ir/module.h"

namespace foreflow::fuzz {

struct Form {
  std::string_view name;  // also of its folders below seeds/ and regressions/
  // Takes the bytes through what the library offers for this form. An Error is a right answer to any bytes; everything
  // else that leaves it is a finding.
  void (*take)(std::string_view bytes);
  int mutations = 10'000;  // how many changed inputs the test takes: a few seconds of them
};

const Registry<Form>& forms();

// `form.take(bytes)`; swallows an Error, whose text must be one line without control characters.
void try_bytes(const Form& form, std::string_view bytes);

// Runs `work`, in which an Error would be a finding; `why` says what should have held.
template <class Work>
auto surely(const char* why, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    fail_check("no Error", std::string(why) + ": " + error.what(), __FILE__, __LINE__);
  }
}

// The program's text parses, and to the same text.
void check_text(const ir::Module& module);

// Interprets the last function, if there is one, and counts its arithmetic.
void interpret(const ir::Module& module);

}  // namespace foreflow::fuzz
