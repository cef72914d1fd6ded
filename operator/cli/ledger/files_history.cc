#include "operator/cli/ledger/files_history.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

namespace ballast::cli {
namespace {

bool AreOneLedger(const std::string& path, const store::Writers& writers, const std::string& other,
                  const store::Writers& of_other) {
  std::error_code ignored;
  return std::filesystem::equivalent(path, other, ignored) ||
         std::ranges::any_of(writers.started, [&](Time started) {
           return std::ranges::binary_search(of_other.started, started);
         });
}

// The names of the pods that wrote the files, if these tell all of them apart.
std::vector<std::string> PodsOf(const std::vector<store::Writers>& writers) {
  std::vector<std::string> names;
  for (const store::Writers& one : writers) {
    names.push_back(explain::PodOf(one.leader));
  }
  const std::set<std::string> different(names.begin(), names.end());
  return different.size() < names.size() || different.contains("") ? std::vector<std::string>()
                                                                   : names;
}

}  // namespace

Result<std::unique_ptr<FilesHistory>> FilesHistory::Open(const std::vector<std::string>& paths,
                                                         const std::string& subcommand) {
  Files files;
  std::vector<store::Writers> writers;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(auto file, store::Reader::Open(path));
    ASSIGN_OR_RETURN(auto wrote, file->ReadWriters());
    for (std::size_t i = 0; i < writers.size(); ++i) {
      if (AreOneLedger(path, wrote, paths[i], writers[i])) {
        return Error{Code::kInvalid, paths[i] + " and " + path +
                                         " are copies of one ledger: give the newer one alone"};
      }
    }
    files.push_back(std::move(file));
    writers.push_back(std::move(wrote));
  }
  const auto pods = PodsOf(writers);
  return std::unique_ptr<FilesHistory>(
      new FilesHistory(std::move(files), pods.empty() ? paths : pods, subcommand));
}

FilesHistory::FilesHistory(Files files, const std::vector<std::string>& names,
                           const std::string& subcommand)
    : files_(std::move(files)),
      history_([&] {
        std::vector<explain::MergedHistory::NamedLedger> ledgers;
        for (std::size_t i = 0; i < files_.size(); ++i) {
          ledgers.push_back({names[i], files_[i].get()});
        }
        return explain::MergedHistory(std::move(ledgers));
      }()),
      lost_(subcommand) {}

}  // namespace ballast::cli
