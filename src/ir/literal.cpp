#include "ir/literal.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <type_traits>

#include "foreflow/base/text.h"
#include "foreflow/ir/countable.h"
#include "foreflow/ir/half.h"
#include "foreflow/ir/names.h"
#include "foreflow/ir/narrow.h"

namespace foreflow::ir {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The text of a number; letters only as an exponent.
std::string_view scan_number(Scanner& scanner) {
  return scanner.run([](std::string_view text, size_t i) {
    const char c = text[i];
    if (is_digit(c) || c == '.') return true;
    if (c == '-' || c == '+') return i == 0 || !is_digit(text[i - 1]);
    return (c == 'e' || c == 'E') && i + 1 < text.size() &&
           (is_digit(text[i + 1]) || text[i + 1] == '-' || text[i + 1] == '+');
  });
}

// The error about `text`, which parse_number<T> does not read; `kind` is "an integer" and the like.
template <class T>
std::string refused(std::string_view text, const std::string& kind) {
  T value{};
  const auto [end, error]  = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string number = "'" + std::string(text) + "'";
  if (error != std::errc::result_out_of_range || end != text.data() + text.size())
    return "expected " + kind + ", found " + number;
  if constexpr (std::is_floating_point_v<T>) {
    if (text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos)
      return number + " is too close to 0; write 0";
    return number + " is too large; " + kind + " is at most 1.79e308";
  } else {
    using Limits = std::numeric_limits<T>;
    if (text[0] == '-') return number + " is too small; " + kind + " is at least " + std::to_string(Limits::min());
    return number + " is too large; " + kind + " is at most " + std::to_string(Limits::max());
  }
}

// The number `text`, which began at `place`.
template <class T>
T to_number(Scanner& scanner, Scanner::Place place, std::string_view text, const char* kind) {
  const auto value = parse_number<T>(text);
  if (!value) scanner.fail_at(place, refused<T>(text, kind));
  return *value;
}

template <class T>
T scan_number_as(Scanner& scanner, const char* kind) {
  const Scanner::Place place = scanner.place();
  return to_number<T>(scanner, place, scan_number(scanner), kind);
}

int64_t scan_int(Scanner& scanner) { return scan_number_as<int64_t>(scanner, "an integer"); }

Device scan_device(Scanner& scanner) {
  const Scanner::Place place    = scanner.place();
  const std::string_view digits = scanner.run([](std::string_view text, size_t i) { return is_digit(text[i]); });
  const auto number             = to_number<int32_t>(scanner, place, digits, "a device number");
  if (!scanner.accept('.')) return Device(number);
  const Scanner::Place named    = scanner.place();
  const std::string_view stream = scanner.word();
  if (stream.empty()) scanner.fail("expected the name of a stream after '.', found " + scanner.found());
  if (stream.size() > Device().stream.size()) scanner.fail_at(named, "a stream name has at most 12 letters");
  return Device(number, stream);
}

Dims scan_dims(Scanner& scanner) {
  const Scanner::Place begin = scanner.place();
  scanner.expect('(');
  Dims dims;
  while (!scanner.accept(')')) {
    if (dims.size() == Dims::kMaxRank) scanner.fail("a shape has at most 8 dimensions");
    const Scanner::Place place = scanner.place();
    const bool is_unknown      = scanner.accept('?');
    const int64_t dim          = is_unknown ? Dims::kUnknown : scan_int(scanner);
    if (dim < 0 && !is_unknown) scanner.fail_at(place, "a dimension is not negative; write ? where it is unknown");
    dims.push_back(dim);
    if (!scanner.accept(',') && scanner.peek() != ')')
      scanner.fail("expected ',' or ')' in a shape, found " + scanner.found());
  }
  if (!is_countable(dims)) scanner.fail_at(begin, "the shape " + to_string(dims) + " has more than 2^56 elements");
  return dims;
}

Type scan_tensor(Scanner& scanner) {
  scanner.expect('[');
  const Scanner::Place place  = scanner.place();
  const std::string_view word = scanner.word();
  const auto dtype            = find_dtype(word);
  if (!dtype)
    scanner.fail_at(place, "unknown data type '" + std::string(word) + "'; write one such as Float32 or Int64");
  scanner.expect(',');
  Type type = scanner.accept('?') ? Type::unranked(*dtype) : Type::tensor(*dtype, scan_dims(scanner));
  if (scanner.accept(',')) type.device = scan_device(scanner);
  scanner.expect(']');
  return type;
}

double scan_element(Scanner& scanner) {
  if (scanner.accept("-inf")) return -std::numeric_limits<double>::infinity();
  if (scanner.accept("inf")) return std::numeric_limits<double>::infinity();
  if (scanner.accept("nan")) return std::nan("");
  return scan_number_as<double>(scanner, "a number");
}

template <class T, class Convert>
void fill(Array& array, Scanner& scanner, Convert convert) {
  auto data = array.mutable_data<T>();
  for (size_t i = 0; i < data.size(); ++i) {
    if (i > 0) scanner.expect(',');
    data[i] = convert();
  }
}

// An element from `least` to `most`, the numbers that `dtype` holds.
int64_t scan_integer(Scanner& scanner, DType dtype, int64_t least, int64_t most) {
  const Scanner::Place place = scanner.place();
  const int64_t value        = scan_int(scanner);
  if (value < least || value > most) {
    scanner.fail_at(place, std::to_string(value) + " does not fit; an element of " + std::string(name(dtype)) +
                               " is from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

template <class T>
void fill_integers(Array& array, Scanner& scanner, DType dtype) {
  using Limits = std::numeric_limits<T>;
  fill<T>(array, scanner, [&] { return static_cast<T>(scan_integer(scanner, dtype, Limits::min(), Limits::max())); });
}

// The numbers of a constant are all written out, so it cannot have more of them than the text has characters: checked
// before memory is asked for.
void check_constant(Scanner& scanner, const Dims& dims) {
  const auto limit = static_cast<int64_t>(scanner.remaining());
  bool too_large = false, empty = false;
  int64_t count = 1;
  for (const int64_t dim : dims) {
    if (dim < 0) scanner.fail("a constant has no unknown dimension");
    too_large = too_large || dim > limit || count > limit;
    count *= too_large ? 1 : dim;
    empty = empty || dim == 0;
  }
  if (!empty && (too_large || count > limit))
    scanner.fail("the constant has more elements than the text; write them all");
}

// After the data type: (2,)[1, 2]
Array scan_array(Scanner& scanner, DType dtype) {
  const Dims dims = scan_dims(scanner);
  check_constant(scanner, dims);
  Array array(dtype, dims);
  scanner.expect('[');
  const auto real    = [&] { return scan_element(scanner); };
  const auto single  = [&] { return static_cast<float>(scan_element(scanner)); };
  const auto integer = [&] { return scan_int(scanner); };
  const auto whole   = [&] { return scan_number_as<uint64_t>(scanner, "a whole number"); };
  switch (dtype) {
    case DType::f64: fill<double>(array, scanner, real); break;
    case DType::f32: fill<float>(array, scanner, single); break;
    case DType::f16: fill<uint16_t>(array, scanner, [&] { return float_to_half(single()); }); break;
    case DType::bf16: fill<uint16_t>(array, scanner, [&] { return float_to_bfloat(single()); }); break;
    case DType::f8:
    case DType::f8e4m3fnuz:
    case DType::f8e5m2:
    case DType::f8e5m2fnuz:
    case DType::f8e8m0:
    case DType::f4e2m1: fill<uint8_t>(array, scanner, [&] { return float_to_narrow(dtype, single()); }); break;
    case DType::i64: fill<int64_t>(array, scanner, integer); break;
    case DType::i32: fill_integers<int32_t>(array, scanner, dtype); break;
    case DType::i16: fill_integers<int16_t>(array, scanner, dtype); break;
    case DType::i8: fill_integers<int8_t>(array, scanner, dtype); break;
    case DType::i4: fill<int8_t>(array, scanner, [&] { return to_int4(scan_integer(scanner, dtype, -8, 7)); }); break;
    case DType::u64: fill<uint64_t>(array, scanner, whole); break;
    case DType::u32: fill_integers<uint32_t>(array, scanner, dtype); break;
    case DType::u16: fill_integers<uint16_t>(array, scanner, dtype); break;
    case DType::u8: fill_integers<uint8_t>(array, scanner, dtype); break;
    case DType::u4: fill<uint8_t>(array, scanner, [&] { return to_uint4(scan_integer(scanner, dtype, 0, 15)); }); break;
    case DType::boolean: fill<bool>(array, scanner, [&] { return integer() != 0; }); break;
  }
  scanner.expect(']');
  return array;
}

Attribute scan_scalar(Scanner& scanner) {
  if (scanner.peek() == '"') return scanner.quoted();
  if (is_alpha(scanner.peek())) {
    const std::string word(scanner.word());
    if (word == "inf") return std::numeric_limits<double>::infinity();
    if (word == "nan") return std::nan("");
    if (word == "true") return int64_t{1};
    if (word == "false") return int64_t{0};
    const auto dtype = find_dtype(word);
    if (dtype && scanner.peek() == '(') return scan_array(scanner, *dtype);
    return word;
  }
  if (scanner.accept("-inf")) return -std::numeric_limits<double>::infinity();
  size_t digits = 0;
  while (is_digit(scanner.peek_at(digits))) ++digits;
  if (digits > 0 && scanner.peek_at(digits) == '.' && is_alpha(scanner.peek_at(digits + 1)))
    return scan_device(scanner);
  const Scanner::Place place  = scanner.place();
  const std::string_view text = scan_number(scanner);
  if (text.empty()) scanner.fail("expected a value, found " + scanner.found());
  if (text.find_first_of(".eE") != std::string_view::npos) return to_number<double>(scanner, place, text, "a number");
  return to_number<int64_t>(scanner, place, text, "an integer");
}

Attribute scan_list(Scanner& scanner) {
  std::vector<int64_t> ints;
  std::vector<double> reals;
  std::vector<std::string> words;
  while (!scanner.accept(']')) {
    const Attribute item = scan_scalar(scanner);
    if (const auto* i = std::get_if<int64_t>(&item)) {
      ints.push_back(*i);
      reals.push_back(static_cast<double>(*i));
    } else if (const auto* d = std::get_if<double>(&item)) {
      reals.push_back(*d);
    } else if (const auto* s = std::get_if<std::string>(&item)) {
      words.push_back(*s);
    } else {
      scanner.fail("a list holds numbers or strings");
    }
    if (!scanner.accept(',') && scanner.peek() != ']') scanner.fail("expected ',' or ']', found " + scanner.found());
  }
  if (!words.empty() && !reals.empty()) scanner.fail("a list holds either numbers or strings");
  if (!words.empty()) return words;
  if (reals.size() > ints.size()) return reals;
  return ints;
}

}  // namespace

std::string_view scan_name(Scanner& scanner) {
  return scanner.run([](std::string_view text, size_t i) {
    const char c = text[i];
    if (is_digit(c) || is_alpha(c) || c == '.' || c == '/' || c == '-') return true;
    return c == ':' && ((i + 1 < text.size() && text[i + 1] == ':') || (i > 0 && text[i - 1] == ':'));
  });
}

namespace {

Type scan_type_at(Scanner& scanner, int depth);

Type scan_tuple(Scanner& scanner, int depth) {
  if (depth == kDeepestType) scanner.fail("tuples are nested more than " + std::to_string(kDeepestType) + " deep");
  scanner.expect('[');
  std::vector<Type> elements;
  while (!scanner.accept(']')) {
    elements.push_back(scan_type_at(scanner, depth + 1));
    if (!scanner.accept(',') && scanner.peek() != ']') scanner.fail("expected ',' or ']', found " + scanner.found());
  }
  return Type::tuple(std::move(elements));
}

Type scan_type_at(Scanner& scanner, int depth) {
  if (scanner.accept('?')) return {};
  if (scanner.peek() == 'D' && is_digit(scanner.peek_at(1))) {
    scanner.expect('D');
    return Type::on(scan_device(scanner));
  }
  const Scanner::Place place  = scanner.place();
  const std::string_view word = scanner.word();
  if (word == "Tensor") return scan_tensor(scanner);
  if (word == "Tuple") return scan_tuple(scanner, depth);
  const auto dtype = find_dtype(word);
  if (!dtype)
    scanner.fail_at(place,
                    "unknown type '" + std::string(word) + "'; write D1, Int32 or Tensor[Float32, (64, 512), 1]");
  if (!scanner.accept('[')) return Type::scalar(*dtype);
  const Type type = Type::scalar(*dtype, scan_device(scanner));
  scanner.expect(']');
  return type;
}

}  // namespace

Type scan_type(Scanner& scanner) { return scan_type_at(scanner, 0); }

Attribute scan_attribute(Scanner& scanner) { return scanner.accept('[') ? scan_list(scanner) : scan_scalar(scanner); }

}  // namespace foreflow::ir
