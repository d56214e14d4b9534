#include "foreflow/base/escape.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/utf8.h"
#include "foreflow/base/digest.h"

namespace foreflow::escape {
namespace {

// The escape of an unprintable character.
std::string code_of(const utf8::Character& character) {
  if (!character.valid) return fmt::format("\\x{:02x}", character.code);
  if (character.code == '\n') return "\\n";
  if (character.code == '\t') return "\\t";
  if (character.code == '\r') return "\\r";
  if (character.code < 0x80) return fmt::format("\\x{:02x}", character.code);
  return character.code < 0x10000 ? fmt::format("\\u{:04x}", character.code) : fmt::format("\\U{:08x}", character.code);
}

// Most text is, and documents are long.
bool is_plain(std::string_view text, char kept) {
  return std::all_of(text.begin(), text.end(),
                     [kept](char c) { return (c >= ' ' && c < 0x7f) || (c == kept && kept != '\0'); });
}

// The text with `code(character)` in place of every unprintable character but `kept`.
template <class Code>
std::string replaced(std::string_view text, Code code, char kept = '\0') {
  if (is_plain(text, kept)) return std::string(text);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const utf8::Character character = utf8::character_at(text, at);
    if (utf8::is_printable(character) || (kept != '\0' && text[at] == kept)) {
      out += text.substr(at, character.size);
    } else {
      out += code(character);
    }
    at += character.size;
  }
  return out;
}

// Each character of `specials` as `form(c)`.
template <class Form>
std::string with(std::string_view text, std::string_view specials, Form form) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (specials.find(c) == std::string_view::npos) {
      out += c;
    } else {
      out += form(c);
    }
  }
  return out;
}

std::string with_backslash(char c) { return {'\\', c}; }

std::string entity(char c) {
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    default: return "&#39;";
  }
}

// True when the text begins with an entity such as "&lt;" or "&#60;", which Graphviz would replace in a label.
bool is_entity(std::string_view text) {
  size_t end = 1;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '#')) ++end;
  return end > 1 && end < text.size() && text[end] == ';';
}

bool is_file_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

// A number that no double can hold is one, too: parse_number would refuse "1e999".
bool is_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value            = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

// "@stage1_forward": a function as `.distir` writes it. Without brackets and quotes it calls and fetches nothing.
bool is_function_name(std::string_view text) {
  const auto belongs = [](char c) { return is_file_character(c) || c == '/' || c == ':'; };
  return text.size() > 1 && text[0] == '@' && std::all_of(text.begin() + 1, text.end(), belongs);
}

// Some spreadsheets take the full-width forms of the four characters for them.
bool starts_formula(std::string_view text) {
  constexpr std::string_view kStarts[] = {"=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"};
  return std::any_of(std::begin(kStarts), std::end(kStarts), [&](auto start) { return text.starts_with(start); }) &&
         !is_number(text);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// The first 128 bits of a digest, enough to rule out collisions. Each `attempt` gives another digest.
std::string digest_of(std::string_view name, int attempt) {
  constexpr size_t kDigits = 32;
  return sha256(fmt::format("{}:{}", attempt, name)).substr(0, kDigits);
}

// The file name, made short enough, with a digest of the name behind it.
std::string with_digest(std::string_view file, std::string_view name, int attempt) {
  constexpr size_t kKept = 160;
  return fmt::format("{}-{}", file.substr(0, kKept), digest_of(name, attempt));
}

}  // namespace

std::string terminal(std::string_view text) { return replaced(text, code_of); }

std::string terminal_lines(std::string_view text) { return replaced(text, code_of, '\n'); }

std::string markup(std::string_view text) { return with(terminal(text), "&<>\"'", entity); }

std::string markup_comment(std::string_view text) {
  std::string line = terminal(text);
  replace_all(line, "--", "- -");
  replace_all(line, "--", "- -");  // "---" leaves one behind
  return line.ends_with('-') ? line + " " : line;
}

std::string csv(std::string_view text, Quotes quotes) {
  std::string field = terminal(text);
  if (starts_formula(field)) field.insert(0, 1, '\'');
  if (quotes == Quotes::where_needed && field.find_first_of(",\"") == std::string::npos) return field;
  return "\"" + with(field, "\"", [](char) { return "\"\""; }) + "\"";
}

std::string csv_op(std::string_view name) { return is_function_name(name) ? std::string(name) : csv(name); }

std::string dot(std::string_view text) {
  std::string inside = with(terminal(text), "\\\"", with_backslash);
  for (size_t at = inside.find('&'); at != std::string::npos; at = inside.find('&', at + 1)) {
    if (is_entity(std::string_view(inside).substr(at))) inside.insert(at + 1, "amp;");
  }
  return inside;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const utf8::Character character = utf8::character_at(text, at);
    const std::string_view bytes    = text.substr(at, character.size);
    at += character.size;
    if (bytes == "\n") {
      out += "\\n";
    } else if (bytes == "\"" || bytes == "\\") {
      out += with_backslash(bytes[0]);
    } else if (utf8::is_printable(character)) {
      out += bytes;
    } else {
      for (const char byte : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return out + "\"";
}

std::string python(std::string_view text) {
  const auto special = [](char c) { return c == '#' ? std::string("\\x23") : with_backslash(c); };
  return "'" + replaced(with(text, "\\'#", special), code_of) + "'";
}

std::string python_comment(std::string_view text) {
  std::string line = terminal(text);
  for (const char mark : {':', '='}) {
    const std::string declaration = std::string("coding") + mark;
    replace_all(line, declaration, fmt::format("coding\\x{:02x}", static_cast<int>(mark)));
  }
  return line;
}

std::string json(std::string_view document) {
  const auto code = [](const utf8::Character& character) {
    if (!character.valid) return std::string("\ufffd");
    if (character.code < 0x10000) return fmt::format("\\u{:04x}", character.code);
    const uint32_t rest = character.code - 0x10000;
    return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10U), 0xdc00 + (rest & 0x3ffU));
  };
  return replaced(document, code, '\n');
}

std::string markdown(std::string_view text) { return with(terminal(text), "|", with_backslash); }

std::string file_name(std::string_view name) {
  constexpr size_t kLongest = 200;
  std::string file(name);
  std::replace_if(
      file.begin(), file.end(), [](char c) { return !is_file_character(c); }, '_');
  if (file.empty() || file == "." || file == "..") file.insert(0, 1, '_');
  return file.size() <= kLongest ? file : with_digest(file, name, 0);
}

std::map<std::string, std::string> file_names(const std::set<std::string>& names) {
  std::map<std::string, int> wanted;
  for (const std::string& name : names) ++wanted[file_name(name)];
  std::map<std::string, std::string> files;
  for (const std::string& name : names) {
    const std::string file = file_name(name);
    std::string own        = file;
    bool taken             = file != name && wanted.at(file) > 1;  // who has it as its name keeps it
    for (int attempt = 1; taken; ++attempt) {
      own   = with_digest(file, name, attempt);
      taken = wanted.contains(own);
    }
    files.emplace(name, std::move(own));
  }
  return files;
}

}  // namespace foreflow::escape
