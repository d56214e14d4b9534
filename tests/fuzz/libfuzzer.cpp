// The program of one fuzzer; FOREFLOW_FORM names its form. An exception that leaves try_bytes ends it with a finding.
#include <cstddef>
#include <cstdint>

#include "fuzz/form.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using foreflow::fuzz::forms;
  static const foreflow::fuzz::Form& form = forms().get(FOREFLOW_FORM, "the fuzzer");
  foreflow::fuzz::try_bytes(form, {reinterpret_cast<const char*>(data), size});
  return 0;
}
