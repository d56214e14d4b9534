#include "support/strict_readers.h"

#include <algorithm>
#include <map>

#include "base/utf8.h"

namespace foreflow::test {
namespace {

// A text that is read from its beginning.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) { read_terminal(text); }

  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  char take() {
    if (at_end()) fail("ends early");
    return text_[at_++];
  }
  bool accept(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail("has no " + std::string(token));
  }
  std::string_view until(std::string_view end) {
    const size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) fail("never has " + std::string(end));
    const std::string_view before = text_.substr(at_, found - at_);
    at_                           = found + end.size();
    return before;
  }
  template <class Belongs>
  std::string run(Belongs belongs) {
    std::string out;
    while (!at_end() && belongs(peek())) out += take();
    return out;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw ReadError("at byte " + std::to_string(at_) + " of " +
                    std::string(text_.substr(at_ < 80 ? 0 : at_ - 80, 160)) + ": the text " + what);
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

std::string read_field(Cursor& cursor) {
  std::string field;
  if (!cursor.accept("\"")) {
    return cursor.run([&](char c) {
      if (c == '"') cursor.fail("has a quote in a field without quotes");
      return c != ',' && c != '\n';
    });
  }
  while (true) {
    if (!cursor.accept("\"")) {
      field += cursor.take();
    } else if (cursor.accept("\"")) {
      field += '"';
    } else {
      return field;
    }
  }
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == ':';
}

class MarkupReader {
 public:
  explicit MarkupReader(std::string_view text) : cursor_(text) {}

  Markup read() && {
    while (!cursor_.at_end()) {
      if (cursor_.accept("<!--")) {
        if (cursor_.until("-->").find("--") != std::string_view::npos) cursor_.fail("has -- in a comment");
      } else if (cursor_.accept("<!DOCTYPE ") || cursor_.accept("<?xml ")) {
        cursor_.until(">");
      } else if (cursor_.accept("</")) {
        close(cursor_.until(">"));
      } else if (cursor_.accept("<")) {
        open();
      } else {
        markup_.texts.push_back(text_until('<'));
      }
    }
    if (!open_.empty()) cursor_.fail("does not close " + open_.back());
    return std::move(markup_);
  }

 private:
  void open() {
    const std::string element = cursor_.run(is_name_character);
    if (element.empty()) cursor_.fail("has a < that begins no tag");
    markup_.structure.insert(element);
    while (cursor_.accept(" ")) attribute(element);
    const bool is_closed = cursor_.accept("/");
    cursor_.expect(">");
    if (element == "style") {
      cursor_.until("</style>");
    } else if (!is_closed && element != "meta") {
      open_.push_back(element);
    }
  }

  void attribute(const std::string& element) {
    const std::string name = cursor_.run(is_name_character);
    if (name.empty()) return;  // a space before the end
    cursor_.expect("=\"");
    markup_.structure.insert(element + "." + name);
    markup_.texts.push_back(text_until('"'));
    cursor_.expect("\"");
  }

  void close(std::string_view element) {
    if (open_.empty() || open_.back() != element) cursor_.fail("closes " + std::string(element));
    open_.pop_back();
  }

  std::string text_until(char end) {
    std::string text;
    while (!cursor_.at_end() && cursor_.peek() != end) {
      if (cursor_.peek() == '<') cursor_.fail("has a < in an attribute");
      text += cursor_.accept("&") ? entity(cursor_.until(";")) : std::string(1, cursor_.take());
    }
    return text;
  }

  std::string entity(std::string_view name) const {
    static const std::map<std::string_view, std::string> kEntities = {
        {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"#39", "'"}};
    const auto found = kEntities.find(name);
    if (found == kEntities.end()) cursor_.fail("has the entity " + std::string(name));
    return found->second;
  }

  Cursor cursor_;
  Markup markup_;
  std::vector<std::string> open_;
};

}  // namespace

std::vector<std::vector<std::string>> read_csv(std::string_view text) {
  Cursor cursor(text);
  std::vector<std::vector<std::string>> records;
  while (!cursor.at_end()) {
    std::vector<std::string> record = {read_field(cursor)};
    while (cursor.accept(",")) record.push_back(read_field(cursor));
    cursor.expect("\n");
    if (!records.empty() && record.size() != records.front().size()) cursor.fail("has a record of another length");
    records.push_back(std::move(record));
  }
  return records;
}

Markup read_markup(std::string_view text) { return MarkupReader(text).read(); }

DotGraph read_dot(std::string_view text) {
  Cursor cursor(text);
  DotGraph graph;
  while (!cursor.at_end()) {
    if (!cursor.accept("\"")) {
      graph.statements += cursor.take();
      continue;
    }
    std::string inside;
    while (!cursor.accept("\"")) {
      const char c = cursor.take();
      if (c == '\n') cursor.fail("has a line end in a string");
      inside += c;
      if (c != '\\') continue;
      inside += cursor.take();
      if (std::string_view("\"\\n").find(inside.back()) == std::string_view::npos) cursor.fail("has an escape");
    }
    graph.statements += "\"\"";
    graph.strings.push_back(std::move(inside));
  }
  return graph;
}

size_t read_terminal(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const utf8::Character character = utf8::character_at(text, at);
    if (text[at] != '\n' && !utf8::is_printable(character))
      throw ReadError("byte " + std::to_string(at) + " is the unprintable character " + std::to_string(character.code));
    at += character.size;
  }
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace foreflow::test
