// Whatever a name holds, it stays a name in every output: a reader of the output's language finds what it finds with a
// harmless name, and one text more or less, nothing else.
#include "support/hostile_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <pugixml.hpp>

#include "foreflow/base/escape.h"
#include "foreflow/base/json.h"
#include "foreflow/ir/names.h"
#include "property/hostile_outputs.h"
#include "support/strict_readers.h"

namespace foreflow::hostile_names_test {
namespace {

using test::HostileName;
using test::Language;
using test::Output;

// What a document is made of, without its strings, keys and numbers: "{[''],0}".
std::string shape_of(const Json& json) {
  if (json.if_string() != nullptr) return "''";
  std::string inside;
  if (const Json::Array* items = json.if_array()) {
    for (const Json& item : *items) inside += shape_of(item) + ",";
    return "[" + inside + "]";
  }
  if (const Json::Object* members = json.if_object()) {
    for (const auto& [key, value] : *members) inside += shape_of(value) + ",";
    return "{" + inside + "}";
  }
  return "0";
}

void check_json(const std::string& text, const std::string& harmless) {
  test::read_terminal(text);
  EXPECT_EQ(shape_of(parse_json(text, "out")), shape_of(parse_json(harmless, "out")));
}

bool is_number(const std::string& text) {
  double value            = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

void check_csv(const std::string& text, const std::string& harmless) {
  const auto records = test::read_csv(text), expected = test::read_csv(harmless);
  ASSERT_EQ(records.size(), expected.size());
  EXPECT_EQ(records.front().size(), expected.front().size());
  for (const auto& record : records) {
    for (size_t i = 0; i < record.size(); ++i) {
      const std::string& field = record[i];
      const std::string& title = records.front()[i];
      EXPECT_TRUE(field.find_first_of("=+-\t\r") != 0 || is_number(field)) << field;
      const bool names_op = title == "name" || title == "op";
      EXPECT_TRUE(!field.starts_with('@') || (names_op && ir::is_name(field.substr(1)))) << field;
      EXPECT_FALSE(field.starts_with("\uff1d")) << field;
    }
  }
}

void check_markup(const std::string& text, const std::string& harmless, const std::string& name) {
  const test::Markup found = test::read_markup(text), expected = test::read_markup(harmless);
  EXPECT_TRUE(std::includes(expected.structure.begin(), expected.structure.end(), found.structure.begin(),
                            found.structure.end()))
      << text;
  const std::string shown = escape::terminal(name);
  EXPECT_TRUE(std::any_of(found.texts.begin(), found.texts.end(), [&](const std::string& one) {
    return one.find(shown) != std::string::npos;
  })) << shown;
  if (text.starts_with("<!DOCTYPE html>")) return;  // its <meta> is never closed
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size(), pugi::parse_full);
  EXPECT_TRUE(parsed) << parsed.description() << " at " << parsed.offset;
}

// Numbers may differ: boxes are as wide as what stands in them.
std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool digit = (c >= '0' && c <= '9') || c == '.';
    if (!digit || !out.ends_with('#')) out += digit ? '#' : c;
  }
  return out;
}

void check_dot(const std::string& text, const std::string& harmless, const std::string& name) {
  const test::DotGraph found = test::read_dot(text), expected = test::read_dot(harmless);
  EXPECT_EQ(without_numbers(found.statements), without_numbers(expected.statements));
  const std::string shown = escape::dot(name);
  EXPECT_TRUE(std::any_of(found.strings.begin(), found.strings.end(), [&](const std::string& one) {
    return one.find(shown) != std::string::npos;
  })) << shown;
}

void check(const Output& output, const HostileName& name) {
  const std::string text = output.write(name.bytes), harmless = output.write(test::kHarmlessName);
  switch (output.language) {
    case Language::terminal: EXPECT_EQ(test::read_terminal(text), test::read_terminal(harmless)) << text; break;
    case Language::json: check_json(text, harmless); break;
    case Language::csv: check_csv(text, harmless); break;
    case Language::markup: check_markup(text, harmless, name.bytes); break;
    case Language::dot: check_dot(text, harmless, name.bytes); break;
  }
}

class HostileNames : public testing::TestWithParam<std::string> {};

TEST_P(HostileNames, StayNamesInEveryOutput) {
  const auto& names = test::hostile_names();
  const auto name   = std::find_if(names.begin(), names.end(), [](const auto& row) { return row.label == GetParam(); });
  for (const Output& output : test::named_outputs()) {
    SCOPED_TRACE(output.label);
    try {
      check(output, *name);
    } catch (const test::ReadError& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

std::vector<std::string> labels() {
  std::vector<std::string> all;
  for (const HostileName& name : test::hostile_names()) all.push_back(name.label);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, HostileNames, testing::ValuesIn(labels()), [](const auto& info) { return info.param; });

// The readers would not pass what the names try.
TEST(StrictReaders, RefuseWhatIsNotOneName) {
  EXPECT_THROW(test::read_terminal("\x1b[2J"), test::ReadError);
  EXPECT_THROW(test::read_terminal("\xff"), test::ReadError);
  EXPECT_THROW(test::read_csv("a,b\n1\n"), test::ReadError);
  EXPECT_THROW(test::read_csv("a\"b\n"), test::ReadError);
  EXPECT_THROW(test::read_markup("<p>a < b</p>"), test::ReadError);
  EXPECT_THROW(test::read_markup("<p x=\"<\"></p>"), test::ReadError);
  EXPECT_THROW(test::read_markup("<p>&nosuch;</p>"), test::ReadError);
  EXPECT_THROW(test::read_markup("<p></q>"), test::ReadError);
  EXPECT_THROW(test::read_dot("\"a\nb\""), test::ReadError);
  EXPECT_NE(test::read_dot("\"a\"; evil [label=\"b\"]").statements, test::read_dot("\"a; evil [label=b\"").statements);
}

}  // namespace
}  // namespace foreflow::hostile_names_test
