#include "api/json/json_writer.h"

#include <utility>

#include "api/base/printable.h"
#include "api/json/rapidjson.h"

namespace ballast::json {

struct Writer::WriterBuffer {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
};

Writer::Writer() : state_(std::make_unique<WriterBuffer>()) {}
Writer::~Writer() = default;

void Writer::Key(std::string_view name) {
  state_->writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
}
void Writer::Value(std::string_view text) {
  state_->writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}
void Writer::Value(bool value) { state_->writer.Bool(value); }
void Writer::Value(std::int32_t value) { state_->writer.Int(value); }
void Writer::Value(std::int64_t value) { state_->writer.Int64(value); }
void Writer::Value(double value) { state_->writer.Double(value); }
void Writer::Null() { state_->writer.Null(); }
void Writer::Raw(std::string_view json) {
  state_->writer.RawValue(json.data(), json.size(), rapidjson::kObjectType);
}
void Writer::BeginObject() { state_->writer.StartObject(); }
void Writer::EndObject() { state_->writer.EndObject(); }
void Writer::BeginArray() { state_->writer.StartArray(); }
void Writer::EndArray() { state_->writer.EndArray(); }

std::string Writer::Take() {
  std::string text(state_->buffer.GetString(), state_->buffer.GetSize());
  state_->buffer.Clear();
  state_->writer.Reset(state_->buffer);
  return EscapeUnprintable(std::move(text));
}

}  // namespace ballast::json
