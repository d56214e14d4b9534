// Platform files that must be refused, as rows of a table: what is wrong, the file, the one line that a user reads.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "foreflow/base/error.h"
#include "foreflow/platform/load.h"
#include "platform/files/document.h"

namespace foreflow::platform {

struct BadFile {
  std::string name;
  std::string xml;
  std::string message;
};

inline void PrintTo(const BadFile& file, std::ostream* out) { *out << file.name; }

inline std::string title_of(const testing::TestParamInfo<BadFile>& row) { return row.param.name; }

template <class Read>
void expect_refused(const BadFile& file, const Read& read) {
  try {
    read(file.xml);
    FAIL() << "was accepted:\n" << file.xml;
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), file.message);
  }
}

inline void expect_refused(const BadFile& file) {
  expect_refused(file, [](const std::string& xml) { load(xml, "p.xml"); });
}

// Refused by the reader of files whose hosts state their devices. A file without such a host is one of SimGrid's for
// load(), so that reader is asked itself.
inline void expect_own_form_refused(const BadFile& file) {
  const bool states_devices = file.xml.find("\"kind\"") != std::string::npos;
  expect_refused(file, [&](const std::string& xml) {
    if (states_devices) {
      load(xml, "p.xml");
    } else {
      read_document(xml, "p.xml");
    }
  });
}

}  // namespace foreflow::platform
