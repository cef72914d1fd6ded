#include "api/json/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "api/base/printable.h"
#include "api/json/parse_in_place.h"
#include "api/json/rapidjson.h"

namespace ballast::json {

namespace internal {
struct Dom {
  // For a text of that size. Values take memory by the chunk; RapidJSON's own are 64 KiB, also for
  // the hundred bytes of most texts.
  explicit Dom(std::size_t size)
      : values(std::clamp<std::size_t>(2 * size, kShortestChunk, kLongestChunk)),
        document(&values) {}
  static constexpr std::size_t kShortestChunk = 512;
  static constexpr std::size_t kLongestChunk = 64 * 1024;

  std::string text;  // the document's strings point into it
  rapidjson::MemoryPoolAllocator<> values;
  rapidjson::Document document;
};
}  // namespace internal

namespace {

using RapidValue = rapidjson::Value;

// A Node* is a rapidjson::Value* under a name that headers can use; Node itself is never defined.
const internal::Node* AsNode(const RapidValue* value) {
  return reinterpret_cast<const internal::Node*>(value);
}
const RapidValue& AsValue(const internal::Node* node) {
  return *reinterpret_cast<const RapidValue*>(node);
}

// A SAX filter in front of the DOM. It bounds the depth, because RapidJSON's destructor and writer
// recurse, and the number of values, because one takes 16 bytes in memory and as few as two in
// text.
class LimitFilter : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, LimitFilter> {
 public:
  LimitFilter(rapidjson::Document& sink, std::size_t values) : sink_(sink), values_left_(values) {}
  bool Null() { return Count() && sink_.Null(); }
  bool Bool(bool b) { return Count() && sink_.Bool(b); }
  // Never called: numbers arrive as text. RapidJSON's own conversion to exact doubles reads beyond
  // its tables and does not read 0E-66 as 0.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    return Count() && (Integer(text, text + size) || Fraction(text));
  }
  bool String(const char* s, rapidjson::SizeType n, bool copy) {
    return Count() && sink_.String(s, n, copy);
  }
  bool Key(const char* s, rapidjson::SizeType n, bool copy) {
    return Count() && sink_.Key(s, n, copy);
  }
  bool StartObject() { return Enter() && sink_.StartObject(); }
  bool EndObject(rapidjson::SizeType n) { return Leave() && sink_.EndObject(n); }
  bool StartArray() { return Enter() && sink_.StartArray(); }
  bool EndArray(rapidjson::SizeType n) { return Leave() && sink_.EndArray(n); }

  // Why this filter stopped the parser.
  const std::string& reason() const { return reason_; }
  bool too_many() const { return too_many_; }

 private:
  // False if it is not written as an integer or does not fit in 64 bits.
  bool Integer(const char* begin, const char* end) {
    const bool negative = *begin == '-';
    std::uint64_t size = 0;
    const auto [at, problem] = std::from_chars(begin + (negative ? 1 : 0), end, size);
    constexpr std::uint64_t kMin64 = std::uint64_t{1} << 63;
    if (at != end || problem != std::errc() || (negative && size > kMin64)) {
      return false;
    }
    if (!negative) {
      return size <= std::numeric_limits<unsigned>::max() ? sink_.Uint(static_cast<unsigned>(size))
                                                          : sink_.Uint64(size);
    }
    const auto value = static_cast<std::int64_t>(~size + 1);
    return value >= std::numeric_limits<int>::min() ? sink_.Int(static_cast<int>(value))
                                                    : sink_.Int64(value);
  }
  // Rounds correctly. The character that follows the number in the text ends it for strtod.
  bool Fraction(const char* begin) {
    const double value = std::strtod(begin, nullptr);
    if (!std::isfinite(value)) {
      reason_ = "number too big to be stored in double";
      return false;
    }
    return sink_.Double(value);
  }

  bool Count() {
    too_many_ = values_left_ == 0;
    values_left_ -= too_many_ ? 0 : 1;
    return !too_many_;
  }
  bool Enter() {
    if (!Count()) {
      return false;
    }
    if (++depth_ > kMaxDepth) {
      reason_ = internal::TooDeep();
      return false;
    }
    return true;
  }
  bool Leave() {
    --depth_;
    return true;
  }
  rapidjson::Document& sink_;
  std::size_t values_left_;
  bool too_many_ = false;
  int depth_ = 0;
  std::string reason_;
};

// Lets Document::Populate run the reader through Limits.
struct Generator {
  std::string& text;
  std::size_t size;
  std::size_t max_values;
  rapidjson::ParseResult result;
  std::string reason;  // why Limits stopped the parser
  bool too_many = false;
  bool operator()(rapidjson::Document& sink) {
    LimitFilter limits(sink, max_values);
    result = internal::ReadInPlace(text, size, limits);
    reason = limits.reason();
    too_many = limits.too_many();
    return !result.IsError();
  }
};

const char* TypeName(const RapidValue& value) {
  switch (value.GetType()) {
    case rapidjson::kNullType:
      return "null";
    case rapidjson::kFalseType:
    case rapidjson::kTrueType:
      return "a boolean";
    case rapidjson::kObjectType:
      return "an object";
    case rapidjson::kArrayType:
      return "an array";
    case rapidjson::kStringType:
      return "a string";
    case rapidjson::kNumberType:
      return "a number";
  }
  return "something else";
}

// Finds the path of `target` below `from`. Only errors need paths, so they are searched for then.
bool FindPath(const RapidValue& from, const RapidValue* target, std::string& path) {
  if (&from == target) {
    return true;
  }
  const std::size_t length = path.size();
  if (from.IsObject()) {
    for (const auto& member : from.GetObject()) {
      if (!path.empty()) {
        path += '.';
      }
      path.append(member.name.GetString(), member.name.GetStringLength());
      if (FindPath(member.value, target, path)) {
        return true;
      }
      path.resize(length);
    }
  } else if (from.IsArray()) {
    for (rapidjson::SizeType i = 0; i < from.Size(); ++i) {
      path += '[' + std::to_string(i) + ']';
      if (FindPath(from[i], target, path)) {
        return true;
      }
      path.resize(length);
    }
  }
  return false;
}

}  // namespace

Document::Document(std::unique_ptr<internal::Dom> dom) : dom_(std::move(dom)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

const internal::Node* Document::root() const { return AsNode(&dom_->document); }

Result<Document> Parse(std::string_view text) {
  return ParseAtMost(std::numeric_limits<std::size_t>::max(), text);
}

Result<Document> ParseAtMost(std::size_t max_values, std::string_view text) {
  TRY(internal::CheckEncoding(text));
  auto dom = std::make_unique<internal::Dom>(text.size());
  dom->text = internal::InPlace(text);
  Generator generator{dom->text, text.size(), max_values, {}, {}};
  dom->document.Populate(generator);
  if (generator.too_many) {
    return Error{Code::kFull, "has more than " + std::to_string(max_values) + " values and names"};
  }
  if (generator.result.IsError()) {
    return internal::NotJson(generator.result, generator.reason);
  }
  return Document(std::move(dom));
}

Cursor Cursor::Member(std::string_view name) const {
  if (node_ == nullptr || AsValue(node_).IsNull()) {
    return Cursor(nullptr, decoder_);
  }
  if (!AsValue(node_).IsObject()) {
    Mismatch("an object");
    return Cursor(nullptr, decoder_);
  }
  const RapidValue key(rapidjson::StringRef(name.data(), name.size()));
  const auto found = AsValue(node_).FindMember(key);
  if (found == AsValue(node_).MemberEnd() || found->value.IsNull()) {
    return Cursor(nullptr, decoder_);
  }
  return Cursor(AsNode(&found->value), decoder_);
}

Cursor Cursor::Required(std::string_view name) const {
  Cursor member = Member(name);
  if (node_ != nullptr && !member.present()) {
    decoder_->Fail(node_, name, "is required");
  }
  return member;
}

Elements Cursor::Elements() const {
  json::Elements range;
  if (node_ == nullptr) {
    return range;
  }
  if (!AsValue(node_).IsArray()) {
    Mismatch("an array");
    return range;
  }
  range.begin_ = AsNode(AsValue(node_).Begin());
  range.end_ = AsNode(AsValue(node_).End());
  range.size_ = AsValue(node_).Size();
  range.decoder_ = decoder_;
  return range;
}

Elements::ElementIterator& Elements::ElementIterator::operator++() {
  node_ = AsNode(&AsValue(node_) + 1);
  return *this;
}

Members Cursor::Members() const {
  json::Members range;
  if (node_ == nullptr) {
    return range;
  }
  if (!AsValue(node_).IsObject()) {
    Mismatch("an object");
    return range;
  }
  if (AsValue(node_).MemberCount() == 0) {  // an empty object may have no memory to point to
    return range;
  }
  range.begin_ = AsNode(&AsValue(node_).MemberBegin()->name);
  range.end_ = AsNode(&AsValue(node_).MemberEnd()->name);
  range.decoder_ = decoder_;
  return range;
}

// Members::MemberIterator relies on this: a member is its name followed by its value.
static_assert(sizeof(RapidValue::Member) == 2 * sizeof(RapidValue));

std::pair<std::string_view, Cursor> Members::MemberIterator::operator*() const {
  const RapidValue& name = AsValue(at_);
  const RapidValue& value = *(&name + 1);
  return {std::string_view(name.GetString(), name.GetStringLength()),
          Cursor(value.IsNull() ? nullptr : AsNode(&value), decoder_)};
}

Members::MemberIterator& Members::MemberIterator::operator++() {
  at_ = AsNode(&AsValue(at_) + 2);
  return *this;
}

bool Cursor::Mismatch(const char* expected) const {
  if (node_ != nullptr && !AsValue(node_).IsNull()) {
    Fail(std::string("expected ") + expected + ", got " + TypeName(AsValue(node_)));
  }
  return false;
}

bool Cursor::Read(std::string& out) const {
  if (!IsString()) {
    return Mismatch("a string");
  }
  out.assign(AsValue(node_).GetString(), AsValue(node_).GetStringLength());
  return true;
}

bool Cursor::Read(bool& out) const {
  if (node_ == nullptr || !AsValue(node_).IsBool()) {
    return Mismatch("a boolean");
  }
  out = AsValue(node_).GetBool();
  return true;
}

bool Cursor::Read(std::int32_t& out) const {
  std::int64_t wide = 0;
  if (!Read(wide)) {
    return false;
  }
  if (wide < std::numeric_limits<std::int32_t>::min() ||
      wide > std::numeric_limits<std::int32_t>::max()) {
    Fail("does not fit in 32 bits");
    return false;
  }
  out = static_cast<std::int32_t>(wide);
  return true;
}

bool Cursor::Read(std::int64_t& out) const {
  if (node_ == nullptr || !AsValue(node_).IsInt64()) {
    return Mismatch("an integer");
  }
  out = AsValue(node_).GetInt64();
  return true;
}

bool Cursor::Read(double& out) const {
  if (!IsNumber()) {
    return Mismatch("a number");
  }
  out = AsValue(node_).GetDouble();
  return true;
}

bool Cursor::IsString() const { return node_ != nullptr && AsValue(node_).IsString(); }
bool Cursor::IsNumber() const { return node_ != nullptr && AsValue(node_).IsNumber(); }
bool Cursor::IsBool() const { return node_ != nullptr && AsValue(node_).IsBool(); }
bool Cursor::IsObject() const { return node_ != nullptr && AsValue(node_).IsObject(); }
bool Cursor::IsArray() const { return node_ != nullptr && AsValue(node_).IsArray(); }
bool Cursor::IsNull() const { return node_ != nullptr && AsValue(node_).IsNull(); }

std::optional<std::int64_t> Cursor::Integer() const {
  return node_ != nullptr && AsValue(node_).IsInt64() ? std::optional(AsValue(node_).GetInt64())
                                                      : std::nullopt;
}

std::string_view Cursor::Text() const {
  return IsString() ? std::string_view(AsValue(node_).GetString(), AsValue(node_).GetStringLength())
                    : std::string_view();
}

std::string Cursor::NumberText() const { return IsNumber() ? Print() : std::string(); }

std::string Cursor::Print() const {
  if (node_ == nullptr) {
    return "null";
  }
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  AsValue(node_).Accept(writer);
  return EscapeUnprintable({buffer.GetString(), buffer.GetSize()});
}

std::string Cursor::PrintIndented() const {
  if (node_ == nullptr) {
    return "null";
  }
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  AsValue(node_).Accept(writer);
  return EscapeUnprintable({buffer.GetString(), buffer.GetSize()});
}

void Cursor::Fail(const std::string& message) const { decoder_->Fail(node_, {}, message); }

Status Decoder::status() const {
  if (problem_) {
    return *problem_;
  }
  return Done{};
}

void Decoder::Fail(const internal::Node* at, std::string_view member, const std::string& message) {
  if (problem_) {
    return;
  }
  std::string path;
  if (at != nullptr) {
    FindPath(AsValue(root_), &AsValue(at), path);
  }
  if (!member.empty()) {
    path += path.empty() ? "" : ".";
    path += member;
  }
  problem_ = Error{Code::kInvalid, path.empty() ? message : path + ": " + message};
}

namespace {

template <typename T>
bool ReadText(const Cursor& in, T& out, Result<T> (*parse)(std::string_view)) {
  if (!in.IsString()) {
    if (in.present()) {
      in.Fail("expected a string");
    }
    return false;
  }
  auto parsed = parse(in.Text());
  if (!parsed.ok()) {
    in.Fail(parsed.error().message);
    return false;
  }
  out = *parsed;
  return true;
}

}  // namespace

bool Read(const Cursor& in, Time& out) { return ReadText(in, out, ParseTime); }
bool Read(const Cursor& in, Duration& out) { return ReadText(in, out, ParseDuration); }

}  // namespace ballast::json
