#include "foreflow/base/escape.h"

#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "foreflow/base/json.h"
#include "foreflow/base/scanner.h"
#include "support/hostile_names.h"
#include "support/strict_readers.h"

namespace foreflow::escape_test {
namespace {

using test::hostile_names;
using test::HostileName;

TEST(Escape, LeavesPrintableNamesAlone) {
  for (const std::string name : {"GPT 18.4B on 256 A100", "h.0/attn:w", "naïve 模型 \U0001f642", "a\\b", "50 %"}) {
    EXPECT_EQ(escape::terminal(name), name);
    EXPECT_EQ(escape::csv(name), name);
    EXPECT_EQ(escape::markup(name), name);
    EXPECT_EQ(escape::python_comment(name), name);
  }
}

TEST(Escape, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(escape::terminal("a\nb\t\r\x1b[2J\x7f"), R"(a\nb\t\r\x1b[2J\x7f)");
  EXPECT_EQ(escape::terminal("\u009b\u202e\ufeff\U000e0041"), R"(\u009b\u202e\ufeff\U000e0041)");
  EXPECT_EQ(escape::terminal("\xff\xc3(\xed\xa0\x80"), R"(\xff\xc3(\xed\xa0\x80)");
  EXPECT_EQ(escape::terminal_lines("a\n\rb\n"), "a\n\\rb\n");
}

TEST(Escape, WritesMarkupAsText) {
  EXPECT_EQ(escape::markup("<b> & 'c' \"d\"\n"), R"(&lt;b&gt; &amp; &#39;c&#39; &quot;d&quot;\n)");
  EXPECT_EQ(escape::markup_comment("a-->b---c-"), "a- ->b- - -c- ");
}

TEST(Escape, KeepsFieldsInTheirRecordAndFormulasFromSpreadsheets) {
  EXPECT_EQ(escape::csv("a,\"b\""), R"("a,""b""")");
  EXPECT_EQ(escape::csv("a\nb"), R"(a\nb)");
  EXPECT_EQ(escape::csv("=1+1"), "'=1+1");
  EXPECT_EQ(escape::csv("@SUM(1)"), "'@SUM(1)");
  EXPECT_EQ(escape::csv("@h.0/attn"), "'@h.0/attn");
  EXPECT_EQ(escape::csv_op("@h.0/attn"), "@h.0/attn");
  EXPECT_EQ(escape::csv_op("@SUM(1)"), "'@SUM(1)");
  EXPECT_EQ(escape::csv_op("@"), "'@");
  EXPECT_EQ(escape::csv_op("=1+1"), "'=1+1");
  EXPECT_EQ(escape::csv("-1+1"), "'-1+1");
  EXPECT_EQ(escape::csv("f32[4]", escape::Quotes::always), "\"f32[4]\"");
  for (const std::string number : {"-1.5", "+3", "-2e-9", "-inf", "1e999", ""}) EXPECT_EQ(escape::csv(number), number);
}

TEST(Escape, WritesStringsOfDotAndPython) {
  EXPECT_EQ(escape::dot("a\"b\\c\n & &lt;"), R"(a\"b\\c\\n & &amp;lt;)");
  EXPECT_EQ(escape::python("it's \\ #1\n"), R"('it\'s \\ \x231\n')");
  EXPECT_EQ(escape::python_comment("coding: x, fileencoding=y\n"), R"(coding\x3a x, fileencoding\x3dy\n)");
  EXPECT_EQ(escape::markdown("a|b\n"), R"(a\|b\n)");
}

TEST(Escape, JsonMeansTheSameAfterwards) {
  const std::string document = "{\"a\":\"\u009b\u202e\U000e0041 \x7f\u00e9\"}";
  EXPECT_EQ(escape::json(document), "{\"a\":\"\\u009b\\u202e\\udb40\\udc41 \\u007f\u00e9\"}");
  EXPECT_EQ(*parse_json(escape::json(document), "a").find("a")->if_string(),
            *parse_json(document, "a").find("a")->if_string());
}

TEST(Escape, QuotedStringsOfDistirReadBackByteForByte) {
  const std::string nowhere;
  for (const HostileName& name : hostile_names()) {
    const std::string quoted = escape::quoted(name.bytes);
    EXPECT_NO_THROW(test::read_terminal(quoted)) << name.label;
    Scanner scanner(quoted, nowhere);
    EXPECT_EQ(scanner.quoted(), name.bytes) << name.label;
  }
}

TEST(Escape, FileNamesStayInTheirFolder) {
  EXPECT_EQ(escape::file_name("h.0/attn:w"), "h.0_attn_w");
  EXPECT_EQ(escape::file_name("../x"), ".._x");
  EXPECT_EQ(escape::file_name(".."), "_..");
  EXPECT_EQ(escape::file_name(""), "_");
  for (const HostileName& name : hostile_names()) {
    const std::string file = escape::file_name(name.bytes);
    EXPECT_LE(file.size(), 200u) << name.label;
    EXPECT_EQ(file.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"),
              std::string::npos)
        << file;
    EXPECT_NE(file, ".");
    EXPECT_NE(file, "..");
  }
}

TEST(Escape, FileNamesOfAFolderDiffer) {
  std::set<std::string> names = {"a/b", "a:b", "a_b", "c/d", "", "_"};
  for (const HostileName& name : hostile_names()) names.insert(name.bytes);
  const auto files = escape::file_names(names);
  std::set<std::string> taken;
  for (const auto& [name, file] : files) {
    EXPECT_TRUE(taken.insert(file).second) << file;
    EXPECT_LE(file.size(), 200u);
  }
  EXPECT_EQ(files.at("a_b"), "a_b");
  EXPECT_EQ(files.at("c/d"), "c_d");
  EXPECT_TRUE(files.at("a/b").starts_with("a_b-"));

  // A name that is what another would be called leaves it another.
  names.insert(files.at("a/b"));
  const auto again = escape::file_names(names);
  EXPECT_EQ(again.at(files.at("a/b")), files.at("a/b"));
  EXPECT_NE(again.at("a/b"), files.at("a/b"));
}

TEST(Escape, AnErrorIsOneLineWhateverItQuotes) {
  for (const HostileName& name : hostile_names()) {
    const Error error(name.bytes, name.bytes);
    EXPECT_EQ(test::read_terminal(error.what()), 0u) << name.label;
    EXPECT_EQ(error.what(), error.where() + ": " + error.problem());
  }
}

}  // namespace
}  // namespace foreflow::escape_test
