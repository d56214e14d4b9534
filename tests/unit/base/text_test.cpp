#include "foreflow/base/text.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "foreflow/base/error.h"
#include "support/temporary.h"

namespace foreflow::text_test {
namespace {

using Words = std::vector<std::string>;

TEST(ListOr, JoinsWithCommasAndAFinalOr) {
  EXPECT_EQ(list_or({}), "");
  EXPECT_EQ(list_or({"a"}), "a");
  EXPECT_EQ(list_or({"a", "b"}), "a or b");
  EXPECT_EQ(list_or({"a", "b", "c"}), "a, b or c");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (Words{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), Words{""});
}

TEST(AfterByteOrderMark, SkipsOneMarkAtTheBeginning) {
  EXPECT_EQ(after_byte_order_mark("\xEF\xBB\xBFkind,op"), "kind,op");
  EXPECT_EQ(after_byte_order_mark("kind,\xEF\xBB\xBFop"), "kind,\xEF\xBB\xBFop");
  EXPECT_EQ(after_byte_order_mark("\xEF\xBB"), "\xEF\xBB");
  EXPECT_EQ(after_byte_order_mark(""), "");
}

TEST(Trim, RemovesSpaceAtBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
}

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number<int>("42"), 42);
  EXPECT_EQ(parse_number<int>("-7"), -7);
  EXPECT_EQ(parse_number<double>("2.5e-3"), 2.5e-3);
  for (const char* text : {"", "2x", "x2", " 2", "2 ", "+2", "2.5", "9999999999"})
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
  EXPECT_EQ(parse_number<size_t>("-1"), std::nullopt);
}

TEST(Files, ReadBackTheBytesThatWereWritten) {
  const test::TemporaryFolder folder;
  const std::string bytes = std::string("a\r\n\0\xff", 5) + std::string(200000, 'x');
  for (const std::string& content : {std::string(), bytes}) {
    write_file(folder / "file", content);
    EXPECT_EQ(read_file(folder / "file"), content);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "file.part"));
}

TEST(ReadFile, NamesAMissingFileAndAFolder) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(read_file(folder / "absent"), Error);
  EXPECT_THROW(read_file(folder / ""), Error);
  EXPECT_THROW(read_file(std::string(5000, 'x')), Error);
}

std::string refusal_of(const std::string& path, const ReadLimit& limit = {}) {
  try {
    read_file(path, limit);
  } catch (const Error& error) {
    return error.problem();
  }
  return "";
}

TEST(ReadFile, EndsWhereItsReaderTakesNoMore) {
  const test::TemporaryFolder folder;
  write_file(folder / "file", "four");
  EXPECT_EQ(refusal_of(folder / "file", {4, "is too long"}), "");
  EXPECT_EQ(refusal_of(folder / "file", {3, "is too long"}), "is too long");
  std::filesystem::resize_file(folder / "file", uintmax_t{1} << 40);  // sparse: takes no room
  EXPECT_EQ(refusal_of(folder / "file", {1 << 20, "is too long"}), "is too long");
  EXPECT_EQ(refusal_of("/dev/zero", {100, "is too long"}), "is too long");
}

TEST(ReadFile, RefusesADeviceWithoutAnEnd) {
  EXPECT_EQ(refusal_of("/dev/zero"), "is a device without an end; name a file");
  EXPECT_EQ(read_file("/dev/null"), "");
}

TEST(ReadFile, ReadsAPipeToItsEnd) {
  const test::TemporaryFolder folder;
  const std::string pipe = folder / "pipe", content(3'000'000, 'x');
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { write_file(pipe, content); });
  EXPECT_EQ(read_file(pipe), content);
  writer.join();
}

TEST(WriteFile, NamesAFolderThatIsNotThereAndLeavesNothing) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(write_file(folder / "absent/file", "x"), Error);
  EXPECT_THROW(write_file(folder / "", "x"), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
}

TEST(CheckFolder, IsOfThePathThatIsToBeWritten) {
  const test::TemporaryFolder folder;
  write_file(folder / "file", "x");
  EXPECT_THROW(check_folder_of(folder / "absent/file"), Error);
  EXPECT_THROW(check_folder_of(folder / "file/file"), Error);
  EXPECT_THROW(check_folder_of(folder / ""), Error) << "a folder itself";
  EXPECT_THROW(check_folder_of("."), Error);
  for (const std::string& path : {folder / "new", std::string("new"), std::string("-"), std::string("/dev/null")})
    EXPECT_NO_THROW(check_folder_of(path)) << path;
}

TEST(WriteFile, LeavesDevicesAndLinksWhatTheyAre) {
  write_file("/dev/null", "x");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const test::TemporaryFolder folder;
  std::filesystem::create_symlink("target", folder / "link");
  write_file(folder / "link", "x");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "target"), "x");
}

TEST(WriteFile, ReportsAFullDevice) { EXPECT_THROW(write_file("/dev/full", "x"), Error); }

}  // namespace
}  // namespace foreflow::text_test
