#include "operator/cli/pods/history_json.h"

#include <optional>
#include <utility>
#include <vector>

#include "api/json/json.h"
#include "api/json/json_writer.h"

namespace ballast::cli {
namespace {

// ---- The fields of each type. `F` writes or reads them.

template <typename F>
void Fields(F& f, HistoryGreeting& v) {
  f("ballastHistory", v.language);
  f("program", v.program);
}

template <typename F>
void Fields(F& f, api::ObjectKey& v) {
  f("namespace", v.namespace_);
  f("name", v.name);
}

template <typename F>
void Fields(F& f, store::Subject& v) {
  f("uid", v.uid);
  f("kind", v.kind);
  Fields(f, v.key);
}

template <typename F>
void Fields(F& f, store::HistoryQuery& v) {
  f("key", v.key);
  f("since", v.since);
  f("until", v.until);
  f("kind", v.kind);
  f("namespace", v.namespace_);
  f("changesOnly", v.changes_only);
}

template <typename F>
void Fields(F& f, store::Place& v) {
  f("time", v.time);
  f("id", v.id);
}

template <typename F>
void Fields(F& f, store::AutoscalerPlace& v) {
  Fields(f, v.key);
  f("uid", v.uid);
  f("place", v.place);
}

template <typename F>
void Fields(F& f, HistoryQuestion& v) {
  f("call", v.call);
  f("query", v.query);
  f("from", v.from);
  f("to", v.to);
  f("place", v.place);
  f("autoscalerPlace", v.autoscaler_place);
  f("count", v.count);
  f("subject", v.subject);
}

template <typename F>
void Fields(F& f, store::Reach& v) {
  f("since", v.since);
  f("deleted", v.deleted);
  f("namespace", v.namespace_);
}

template <typename F>
void Fields(F& f, store::Extent& v) {
  f("subject", v.subject);
  f("from", v.from);
  f("until", v.until);
}

template <typename F>
void Fields(F& f, store::Newest& v) {
  f("from", v.from);
  f("leftOut", v.left_out);
  f("oldest", v.oldest);
}

template <typename F>
void Fields(F& f, store::Entry& v) {
  f("id", v.id);
  f("subject", v.subject);
  f("period", v.period);
  f("time", v.time);
  f("until", v.until);
  f("open", v.open);
  f("evaluations", v.evaluations);
  f("late", v.late);
  f("current", v.current_replicas);
  f("desired", v.desired_replicas);
  f("reason", v.reason);
  f("message", v.message);
  f("disposition", v.disposition);
  f("error", v.error);
  f("settled", v.settled);
  f("madeBy", v.made_by);
  f("engine", v.engine);
  f("concluded", v.concluded);
  f("concludedError", v.concluded_error);
  f("resumed", v.resumed);
  f("heartbeats", v.heartbeats);
}

// As text: what is damaged is no JSON.
template <typename F>
void Fields(F& f, store::Documents& v) {
  f("snapshot", v.snapshot);
  f("conclusion", v.conclusion);
}

template <typename F>
void Fields(F& f, store::ReasonEntry& v) {
  f("time", v.time);
  f("reason", v.reason);
  f("message", v.message);
  f("documents", v.documents);
}

template <typename F>
void Fields(F& f, store::FullEntry& v) {
  f("entry", v.entry);
  f("documents", v.documents);
  f("reasons", v.reasons);
}

template <typename F>
void Fields(F& f, store::Timeline& v) {
  f("sampled", v.sampled);
  f("seen", v.seen);
  f("decided", v.decided);
  f("written", v.written);
  f("ready", v.ready);
}

template <typename F>
void Fields(F& f, store::ForeignChangeEntry& v) {
  f("subject", v.subject);
  f("time", v.change.time);
  f("from", v.change.from);
  f("to", v.change.to);
  f("manager", v.change.manager);
  f("managed", v.change.managed);
}

template <typename F>
void Fields(F& f, store::EditEntry& v) {
  f("subject", v.subject);
  f("time", v.edit.time);
  f("field", v.edit.field);
  f("before", v.edit.before);
  f("after", v.edit.after);
  f("manager", v.edit.manager);
  f("managed", v.edit.managed);
  f("decision", v.decision);
}

template <typename F>
void Fields(F& f, store::Delay& v) {
  f("since", v.since);
  f("time", v.time);
  f("took", v.took);
  f("slowest", v.slowest);
}

template <typename F>
void Fields(F& f, store::DelayEntry& v) {
  f("subject", v.subject);
  f("period", v.period);
  f("delay", v.delay);
}

template <typename F>
void Fields(F& f, store::Reading& v) {
  f("metric", v.metric);
  f("target", v.target);
  f("milli", v.milli);
  f("sampled", v.sampled);
}

template <typename F>
void Fields(F& f, store::SeriesPoint& v) {
  f("time", v.time);
  f("current", v.current_replicas);
  f("desired", v.desired_replicas);
  f("reason", v.reason);
  f("readings", v.readings);
}

template <typename F>
void Fields(F& f, store::Evaluation& v) {
  f("subject", v.subject);
  f("point", v.point);
}

template <typename F>
void Fields(F& f, store::HistoryAt& v) {
  f("last", v.last);
  f("documents", v.documents);
  f("timeline", v.timeline);
  f("point", v.point);
  f("reason", v.reason);
  f("foreignChange", v.foreign_change);
  f("edits", v.edits);
  f("next", v.next);
  f("kept", v.kept);
  f("keptSnapshot", v.kept_snapshot);
  f("heartbeat", v.heartbeat);
}

template <typename F>
void Fields(F& f, store::GapFacts& v) {
  f("leader", v.leader);
  f("down", v.down);
  f("inVain", v.in_vain);
  f("unserved", v.unserved);
  f("delay", v.delay);
  f("others", v.others);
}

template <typename F>
void Fields(F& f, store::EntryPage& v) {
  f("entries", v.entries);
  f("until", v.until);
  f("next", v.next);
}

template <typename F, typename Item>
void Fields(F& f, store::PageOf<Item>& v) {
  f("items", v.items);
  f("next", v.next);
}

// ---- Values

struct FieldReader {
  json::Cursor in;

  template <typename T>
  void operator()(const char* name, T& v) {
    Get(in.Member(name), v);
  }

  static void Get(const json::Cursor& from, std::string& v) { from.Read(v); }
  static void Get(const json::Cursor& from, bool& v) { from.Read(v); }
  static void Get(const json::Cursor& from, std::int32_t& v) { from.Read(v); }
  static void Get(const json::Cursor& from, std::int64_t& v) { from.Read(v); }
  // Nanoseconds: exact, and short.
  static void Get(const json::Cursor& from, Time& v) {
    if (std::int64_t nanoseconds = 0; from.Read(nanoseconds)) {
      v = Time::FromUnixNanoseconds(nanoseconds);
    }
  }
  static void Get(const json::Cursor& from, Duration& v) { from.Read(v.nanoseconds); }
  static void Get(const json::Cursor& from, store::Disposition& v) {
    GetNamed(from, store::ParseDisposition(from.Text()), v);
  }
  static void Get(const json::Cursor& from, store::MadeBy& v) {
    GetNamed(from, store::ParseMadeBy(from.Text()), v);
  }
  template <typename T>
  static void GetNamed(const json::Cursor& from, const Result<T>& parsed, T& v) {
    if (parsed.ok()) {
      v = *parsed;
    } else if (from.present()) {
      from.Fail("is nothing that this version knows");
    }
  }
  template <typename T>
  static void Get(const json::Cursor& from, std::optional<T>& v) {
    if (from.present()) {
      Get(from, v.emplace());
    }
  }
  template <typename T>
  static void Get(const json::Cursor& from, std::vector<T>& v) {
    for (const json::Cursor& element : from.Elements()) {
      Get(element, v.emplace_back());
    }
  }
  template <typename T>
  static void Get(const json::Cursor& from, T& v) {
    FieldReader reader{from};
    Fields(reader, v);
  }
};

struct FieldWriter {
  json::Writer& out;

  template <typename T>
  void operator()(const char* name, const T& v) {
    out.Key(name);
    Write(v);
  }
  // What is as by default is left out.
  void operator()(const char* name, const std::string& v) {
    if (!v.empty()) {
      out.Field(name, v);
    }
  }
  void operator()(const char* name, bool v) {
    if (v) {
      out.Field(name, v);
    }
  }
  template <typename T>
  void operator()(const char* name, const std::optional<T>& v) {
    if (v) {
      out.Key(name);
      Write(*v);
    }
  }
  template <typename T>
  void operator()(const char* name, const std::vector<T>& v) {
    if (!v.empty()) {
      out.Key(name);
      Write(v);
    }
  }

  void Write(const std::string& v) { out.Value(v); }
  void Write(bool v) { out.Value(v); }
  void Write(std::int32_t v) { out.Value(v); }
  void Write(std::int64_t v) { out.Value(v); }
  void Write(Time v) { out.Value(v.unix_nanoseconds()); }
  void Write(Duration v) { out.Value(v.nanoseconds); }
  void Write(store::Disposition v) { out.Value(store::Name(v)); }
  void Write(store::MadeBy v) { out.Value(store::Name(v)); }
  template <typename T>
  void Write(const std::vector<T>& v) {
    out.Array([&] {
      for (const T& one : v) {
        Write(one);
      }
    });
  }
  template <typename T>
  void Write(const std::optional<T>& v) {
    if (v) {
      Write(*v);
    } else {
      out.Null();
    }
  }
  template <typename T>
  void Write(const T& v) {
    // The same lists serve readers, which change what they name.
    out.Object([&] { Fields(*this, const_cast<T&>(v)); });  // NOLINT(*-const-cast)
  }
};

template <typename T>
std::string LineOf(const T& v) {
  json::Writer out;
  FieldWriter{out}.Write(v);
  return out.Take();
}

template <typename T>
Result<T> ParseLineOf(std::string_view line) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(line));
  json::Decoder decoder(document);
  T v;
  FieldReader::Get(decoder.root(), v);
  TRY(decoder.status());
  return v;
}

}  // namespace

std::string Print(const HistoryGreeting& greeting) { return LineOf(greeting); }
Result<HistoryGreeting> ParseGreeting(std::string_view line) {
  ASSIGN_OR_RETURN(auto greeting, ParseLineOf<HistoryGreeting>(line));
  return greeting.language > 0 ? Result<HistoryGreeting>(std::move(greeting))
                               : Error{Code::kInvalid, "names no version"};
}

std::string Print(const HistoryQuestion& question) { return LineOf(question); }
Result<HistoryQuestion> ParseQuestion(std::string_view line) {
  return ParseLineOf<HistoryQuestion>(line);
}

template <typename T>
std::string PrintAnswer(const Result<T>& answer, std::int64_t damaged) {
  json::Writer out;
  out.Object([&] {
    if (answer.ok()) {
      out.Key("answer");
      FieldWriter{out}.Write(*answer);
    } else {
      out.Field("error", answer.error().message);
    }
    out.Field("damaged", damaged);
  });
  return out.Take();
}

template <typename T>
Result<T> ParseAnswer(std::string_view line, std::int64_t& damaged) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(line));
  json::Decoder decoder(document);
  const json::Cursor root = decoder.root();
  root.Required("damaged").Read(damaged);
  if (const json::Cursor error = root.Member("error"); error.present()) {
    return Error{Code::kUnavailable, std::string(error.Text())};
  }
  T v{};
  FieldReader::Get(root.Member("answer"), v);
  TRY(decoder.status());
  return v;
}

#define BALLAST_ANSWER(...)                                                   \
  template std::string PrintAnswer(const Result<__VA_ARGS__>&, std::int64_t); \
  template Result<__VA_ARGS__> ParseAnswer(std::string_view line, std::int64_t&);

BALLAST_ANSWER(bool)
BALLAST_ANSWER(std::optional<store::Reach>)
BALLAST_ANSWER(std::optional<store::Extent>)
BALLAST_ANSWER(std::optional<store::Newest>)
BALLAST_ANSWER(std::vector<store::Subject>)
BALLAST_ANSWER(std::vector<store::ForeignChangeEntry>)
BALLAST_ANSWER(std::vector<store::EditEntry>)
BALLAST_ANSWER(std::vector<store::DelayEntry>)
BALLAST_ANSWER(store::HistoryAt)
BALLAST_ANSWER(store::GapFacts)
BALLAST_ANSWER(store::EntryPage)
BALLAST_ANSWER(store::DecisionPage)
BALLAST_ANSWER(store::EvaluationPage)

}  // namespace ballast::cli
