// Runs a fuzz target without libFuzzer: with each file of its corpus (the argument, a folder), and
// with the same many random changes of them in every run.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int kRuns = 2000;

void Run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::vector<std::string> ReadAll(const char* folder) {
  std::vector<std::string> files = {""};
  std::set<std::filesystem::path> paths;  // in the same order on every machine
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.insert(entry.path());
  }
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return files;
}

// Changes a few bytes, cuts a piece out, or puts a piece of `other` in.
void Mutate(std::string& input, const std::string& other, std::minstd_rand& random) {
  const auto place = [&random](const std::string& text) { return random() % (text.size() + 1); };
  switch (random() % 3) {
    case 0:
      for (auto changes = random() % 4; !input.empty() && changes > 0; --changes) {
        input[random() % input.size()] = static_cast<char>(random());
      }
      break;
    case 1:
      input.erase(place(input), random() % 64);
      break;
    default:
      input.insert(place(input), other.substr(place(other), random() % 64));
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> corpus =
      argc > 1 ? ReadAll(argv[1]) : std::vector<std::string>{""};
  for (const std::string& input : corpus) {
    Run(input);
  }
  std::minstd_rand random(1);
  for (int i = 0; i < kRuns; ++i) {
    std::string input = corpus[random() % corpus.size()];
    for (auto changes = 1 + random() % 4; changes > 0; --changes) {
      Mutate(input, corpus[random() % corpus.size()], random);
    }
    Run(input);
  }
  std::printf("%zu files, %d changed ones\n", corpus.size() - 1, kRuns);
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "%s\n", problem.what());
  return 1;
}
