// Platform files that must be refused, as rows of a table: what is wrong, the file, the one line that a user reads.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "foreflow/base/error.h"
#include "foreflow/platform/load.h"

namespace foreflow::platform {

struct BadFile {
  std::string name;
  std::string xml;
  std::string message;
};

inline void PrintTo(const BadFile& file, std::ostream* out) { *out << file.name; }

inline std::string title_of(const testing::TestParamInfo<BadFile>& row) { return row.param.name; }

inline void expect_refused(const BadFile& file) {
  try {
    load(file.xml, "p.xml");
    FAIL() << "was accepted:\n" << file.xml;
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), file.message);
  }
}

}  // namespace foreflow::platform
