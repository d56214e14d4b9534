// No code decides by the text of an error: what callers tell apart has a type, a cause or a key of its own.
#include <gtest/gtest.h>

#include <regex>

#include "layers/source.h"

namespace foreflow::layers::refusals_test {
namespace {

bool compares_text_of_an_error(const std::string& line) {
  static const std::regex kText(R"((where|problem|what)\(\)\s*(==|!=|\.(starts_with|ends_with|find|rfind|compare)\b))");
  return std::regex_search(line.substr(0, line.find("//")), kText);
}

TEST(TextOfErrors, IsFoundWhereItIsCompared) {
  EXPECT_TRUE(compares_text_of_an_error("if (error.where() == \"pipeline: stages\") return;"));
  EXPECT_TRUE(compares_text_of_an_error("if (error.where() != \"memory\") throw;"));
  EXPECT_TRUE(compares_text_of_an_error("if (error.problem().starts_with(prefix)) throw;"));
  EXPECT_FALSE(compares_text_of_an_error("throw Error(place, error.where() + \": \" + error.problem());"));
  EXPECT_FALSE(compares_text_of_an_error("return a.where() < b;  // not error.where() == b"));
}

TEST(TextOfErrors, DecidesNothing) {
  for (const SourceFile& file : find_sources({"src", "include"}, {".h", ".cpp"})) {
    for (const Line& line : file.lines)
      EXPECT_FALSE(compares_text_of_an_error(line.text)) << file.path << ":" << line.number << ": " << line.text;
  }
}

}  // namespace
}  // namespace foreflow::layers::refusals_test
