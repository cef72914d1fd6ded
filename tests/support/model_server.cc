#include "tests/support/model_server.h"

#include <chrono>
#include <cstdlib>

#include "tests/support/fake_transport.h"

namespace ballast::support {
namespace {

constexpr unsigned kNames = 40;
constexpr std::size_t kRemembered = 200;  // events
constexpr const char* kExpired =
    R"({"kind":"Status","code":410,"reason":"Expired","message":"too old resource version"})";

std::string Line(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}";
}

std::string Bookmark(std::uint64_t version, bool ends_beginning) {
  return Line("BOOKMARK",
              R"({"metadata":{"resourceVersion":")" + std::to_string(version) + R"(")" +
                  (ends_beginning ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "") +
                  "}}");
}

}  // namespace

ModelServer::ModelServer(unsigned seed, unsigned calls_per_fault)
    : random_(seed), calls_per_fault_(calls_per_fault) {}

unsigned ModelServer::Random(unsigned below) { return static_cast<unsigned>(random_()) % below; }

bool ModelServer::Fails(unsigned one_in) {
  const bool fails = calls_per_fault_ != 0 && Random(one_in) == 0;
  faults_ += fails ? 1 : 0;
  return fails;
}

std::string ModelServer::Print(const api::ObjectKey& key, const Object& object) {
  return R"({"metadata":{"namespace":")" + key.namespace_ + R"(","name":")" + key.name +
         R"(","uid":")" + object.uid + R"(","resourceVersion":")" + std::to_string(object.version) +
         R"("},"value":")" + object.number + R"("})";
}

void ModelServer::Append(const char* type, const api::ObjectKey& key, const Object& object) {
  events_.push_back({version_, type == nullptr ? "" : Line(type, Print(key, object))});
  // Forgets half of the events at a time; a watcher that has missed them gets 410.
  if (events_.size() > kRemembered) {
    events_.erase(events_.begin(), events_.begin() + kRemembered / 2);
  }
  changed_.notify_all();
}

// As a server with a selector: an object that no longer matches is reported as deleted.
void ModelServer::Write(const api::ObjectKey& key, Object object) {
  object.version = ++version_;
  Object& stored = objects_[key];
  const bool matched = stored.version != 0 && stored.matches;
  stored = object;
  Append(matched ? (object.matches ? "MODIFIED" : "DELETED") : (object.matches ? "ADDED" : nullptr),
         key, object);
}

void ModelServer::Delete(const api::ObjectKey& key) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) {
    return;
  }
  Object last = found->second;
  objects_.erase(found);
  last.version = ++version_;
  Append(last.matches ? "DELETED" : nullptr, key, last);
}

void ModelServer::Change() {
  const std::lock_guard lock(mutex_);
  const api::ObjectKey key{"n" + std::to_string(Random(3)), "o" + std::to_string(Random(kNames))};
  const auto found = objects_.find(key);
  Object object =
      found == objects_.end() ? Object{.uid = "u" + std::to_string(++made_)} : found->second;
  object.number = std::to_string(Random(1000));
  switch (Random(8)) {
    case 0:
      Delete(key);
      break;
    case 1:
      Delete(key);
      object.uid = "u" + std::to_string(++made_);
      Write(key, object);
      break;
    case 2:
      object.matches = !object.matches;
      Write(key, object);
      break;
    default:
      Write(key, object);
  }
}

void ModelServer::Behave() {
  const std::lock_guard lock(mutex_);
  calls_per_fault_ = 0;
}

std::map<api::ObjectKey, std::string> ModelServer::Matching() const {
  const std::lock_guard lock(mutex_);
  std::map<api::ObjectKey, std::string> matching;
  for (const auto& [key, object] : objects_) {
    if (object.matches) {
      matching[key] = object.uid + " " + object.number;
    }
  }
  return matching;
}

int ModelServer::faults() const {
  const std::lock_guard lock(mutex_);
  return faults_;
}

Status ModelServer::RandomError() {
  constexpr Code kCodes[] = {Code::kUnavailable, Code::kTimeout,   Code::kThrottled,
                             Code::kGone,        Code::kForbidden, Code::kUnauthorized,
                             Code::kInvalid,     Code::kCorrupt,   Code::kNotFound};
  Error error{kCodes[Random(std::size(kCodes))], "on purpose"};
  if (error.code == Code::kThrottled) {
    error.retry_after = std::chrono::milliseconds(Random(5));
  }
  return error;
}

Result<kube::Response> ModelServer::Do(const kube::Request& request) {
  const std::lock_guard lock(mutex_);
  if (Fails(calls_per_fault_)) {
    return RandomError().error();
  }
  const std::string token = QueryOf(request, "continue");
  auto [version, items] = std::pair(version_, std::vector<std::string>());
  if (token == "-") {
    for (const auto& [key, object] : objects_) {
      if (object.matches) {
        items.push_back(Print(key, object));
      }
    }
  } else {
    const auto rest = pages_.find(token);
    if (rest == pages_.end()) {
      return Error{Code::kGone, "the continue token is too old"};
    }
    std::tie(version, items) = rest->second;
  }
  const std::string limit = QueryOf(request, "limit");
  const std::size_t count =
      limit == "-" ? items.size() : std::min<std::size_t>(items.size(), std::stoul(limit));
  std::string body = R"({"metadata":{"resourceVersion":")" + std::to_string(version) + R"(")";
  if (count < items.size()) {
    const std::string next = "t" + std::to_string(++made_);
    if (!Fails(calls_per_fault_)) {  // else: already expired
      pages_[next] = {version, {items.begin() + static_cast<std::ptrdiff_t>(count), items.end()}};
    }
    body += R"(,"continue":")" + next + R"(")";
  }
  body += R"(},"items":[)";
  for (std::size_t i = 0; i < count; ++i) {
    body += (i == 0 ? "" : ",") + items[i];
  }
  body += "]}";
  if (Fails(calls_per_fault_)) {
    body.resize(Random(static_cast<unsigned>(body.size())));
  }
  return kube::Response{200, body};
}

std::vector<std::string> ModelServer::Next(std::uint64_t& at, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, std::chrono::milliseconds(20), [&] { return version_ > at; });
  std::vector<std::string> lines;
  if (!events_.empty() && events_.front().version > at + 1 && version_ > at) {
    lines.push_back(Line("ERROR", kExpired));
    return lines;
  }
  for (const Event& event : events_) {
    if (event.version > at && !event.line.empty()) {
      lines.push_back(event.line);
    }
  }
  if (version_ > at || Random(4) == 0) {
    lines.push_back(Bookmark(version_, false));
  }
  at = version_;
  return lines;
}

Status ModelServer::Stream(const kube::Request& request, const kube::LineSink& sink,
                           std::stop_token stop) {
  std::uint64_t at = 0;
  std::vector<std::string> lines;
  {
    const std::lock_guard lock(mutex_);
    if (Fails(calls_per_fault_)) {
      return RandomError();
    }
    if (QueryOf(request, "sendInitialEvents") == "true") {
      for (const auto& [key, object] : objects_) {
        if (object.matches) {
          lines.push_back(Line("ADDED", Print(key, object)));
        }
      }
      at = version_;
      lines.push_back(Bookmark(at, !Fails(calls_per_fault_)));
    } else {
      at = std::stoull(QueryOf(request, "resourceVersion"));
    }
  }
  while (!stop.stop_requested()) {
    for (const std::string& line : lines) {
      bool garbage = false;
      {
        const std::lock_guard lock(mutex_);
        const unsigned lines_per_fault = 10 * calls_per_fault_;
        if (Fails(lines_per_fault)) {
          return RandomError();  // broken off
        }
        if (Fails(lines_per_fault)) {
          return Done{};  // ended
        }
        garbage = Fails(lines_per_fault);
      }
      TRY(sink(garbage ? line.substr(0, line.size() / 2) : line));
    }
    lines = Next(at, stop);
  }
  return Done{};
}

}  // namespace ballast::support
