#include "operator/os/file_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

namespace ballast::os {
namespace {

using Wake = FileWatch::Wake;

class FileWatchTest : public ::testing::Test {
 protected:
  FileWatchTest() {
    std::string name = std::filesystem::temp_directory_path() / "file-watch-XXXXXX";
    folder_ = mkdtemp(name.data());
    Write("db");
  }
  ~FileWatchTest() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ / name; }
  void Write(const std::string& name) const { std::ofstream(Path(name), std::ios::app) << "x"; }

  std::filesystem::path folder_;
};

constexpr int kNoOutput = -1;
constexpr Duration kAtOnce{};

TEST_F(FileWatchTest, TellsOfTheFilesAlone) {
  auto watch = FileWatch::Of(Path("db"), "-wal").value();
  const struct {
    const char* name;
    std::function<void()> happens;
    Wake wake;
  } kCases[] = {
      {"nothing", [] {}, Wake::kTimeout},
      {"another file", [&] { Write("db-shm"); }, Wake::kTimeout},
      {"the file", [&] { Write("db"); }, Wake::kChanged},
      {"nothing since", [] {}, Wake::kTimeout},
      {"the one beside it", [&] { Write("db-wal"); }, Wake::kChanged},
      {"again", [&] { Write("db-wal"); }, Wake::kChanged},
      {"only read", [&] { std::ifstream(Path("db")).get(); }, Wake::kTimeout},
      {"replaced", [&] { Write("new"), std::filesystem::rename(Path("new"), Path("db")); },
       Wake::kChanged},
      {"the new one", [&] { Write("db"); }, Wake::kChanged},
      {"deleted", [&] { std::filesystem::remove(Path("db-wal")); }, Wake::kChanged},
  };
  for (const auto& c : kCases) {
    c.happens();
    EXPECT_EQ(watch.Wait(kAtOnce, kNoOutput), c.wake) << c.name;
  }
}

TEST_F(FileWatchTest, WaitsForAChange) {
  std::filesystem::create_symlink("db", Path("link"));
  auto watch = FileWatch::Of(Path("link"), "-wal").value();
  std::jthread writer([&] { Write("db"); });
  EXPECT_EQ(watch.Wait(std::nullopt, kNoOutput), Wake::kChanged);
}

TEST_F(FileWatchTest, EndsWithWhoeverReadsTheOutput) {
  auto watch = FileWatch::Of(Path("db"), "-wal").value();
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  EXPECT_EQ(watch.Wait(kAtOnce, ends[1]), Wake::kTimeout);
  std::jthread reader([&] { close(ends[0]); });
  EXPECT_EQ(watch.Wait(std::nullopt, ends[1]), Wake::kNoReader);
  close(ends[1]);
}

TEST_F(FileWatchTest, NamesAFileThatIsAbsent) {
  const auto watch = FileWatch::Of(Path("none"), "-wal");
  ASSERT_FALSE(watch.ok());
  EXPECT_EQ(watch.error().code, Code::kNotFound);
  EXPECT_NE(watch.error().message.find(Path("none")), std::string::npos);
}

}  // namespace
}  // namespace ballast::os
