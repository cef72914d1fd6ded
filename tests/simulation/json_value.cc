#include "tests/simulation/json_value.h"

#include <cstdlib>

namespace ballast::simulation {

Result<JsonValue> JsonValue::Parse(std::string_view text) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(text));
  json::Decoder decoder(document);
  return From(decoder.root());
}

JsonValue JsonValue::From(const json::Cursor& cursor) {
  JsonValue value;
  if (cursor.IsObject()) {
    Object object;
    for (const auto& [name, member] : cursor.Members()) {
      object.emplace(name, From(member));
    }
    value.value_ = std::move(object);
  } else if (cursor.IsArray()) {
    Array array;
    for (const json::Cursor& element : cursor.Elements()) {
      array.push_back(From(element));
    }
    value.value_ = std::move(array);
  } else if (cursor.IsString()) {
    value.value_ = std::string(cursor.Text());
  } else if (cursor.IsNumber()) {
    value.value_ = Number{cursor.NumberText()};
  } else if (cursor.IsBool()) {
    bool boolean = false;
    cursor.Read(boolean);
    value.value_ = boolean;
  }
  return value;
}

std::string JsonValue::Print() const {
  json::Writer out;
  PrintTo(out);
  return out.Take();
}

void JsonValue::PrintTo(json::Writer& out) const {
  if (const auto* object = std::get_if<Object>(&value_)) {
    out.Object([&] {
      for (const auto& [name, member] : *object) {
        out.Key(name);
        member.PrintTo(out);
      }
    });
  } else if (const auto* array = std::get_if<Array>(&value_)) {
    out.Array([&] {
      for (const JsonValue& element : *array) {
        element.PrintTo(out);
      }
    });
  } else if (const auto* text = std::get_if<std::string>(&value_)) {
    out.Value(*text);
  } else if (const auto* number = std::get_if<Number>(&value_)) {
    out.Raw(number->text);
  } else if (const auto* boolean = std::get_if<bool>(&value_)) {
    out.Value(*boolean);
  } else {
    out.Null();
  }
}

JsonValue& JsonValue::operator[](const std::string& name) {
  if (!std::holds_alternative<Object>(value_)) {
    value_ = Object();
  }
  return std::get<Object>(value_)[name];
}

const JsonValue* JsonValue::Find(const std::string& name) const {
  const auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) {
    return nullptr;
  }
  const auto found = object->find(name);
  return found == object->end() ? nullptr : &found->second;
}

const JsonValue& JsonValue::At(std::initializer_list<const char*> path) const {
  static const JsonValue absent;
  const JsonValue* at = this;
  for (const char* name : path) {
    at = at->Find(name);
    if (at == nullptr) {
      return absent;
    }
  }
  return *at;
}

void JsonValue::Remove(const std::string& name) {
  if (auto* object = std::get_if<Object>(&value_)) {
    object->erase(name);
  }
}

std::string JsonValue::Text() const {
  const auto* text = std::get_if<std::string>(&value_);
  return text == nullptr ? "" : *text;
}

std::int64_t JsonValue::Integer() const {
  const auto* number = std::get_if<Number>(&value_);
  return number == nullptr ? 0 : std::strtoll(number->text.c_str(), nullptr, 10);
}

void JsonValue::Merge(const JsonValue& patch) {
  const auto* members = std::get_if<Object>(&patch.value_);
  if (members == nullptr) {
    *this = patch;
    return;
  }
  if (!std::holds_alternative<Object>(value_)) {
    value_ = Object();
  }
  for (const auto& [name, member] : *members) {
    if (member.is_null()) {
      Remove(name);
    } else {
      (*this)[name].Merge(member);
    }
  }
}

Status JsonValue::Patch(const JsonValue& patch) {
  JsonValue changed = *this;
  const auto* operations = std::get_if<Array>(&patch.value_);
  if (operations == nullptr) {
    return Error{Code::kInvalid, "a JSON patch is an array"};
  }
  for (const JsonValue& operation : *operations) {
    const std::string path = operation.At({"path"}).Text();
    JsonValue* at = &changed;
    std::size_t begin = 1;
    while (begin <= path.size()) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      const std::string name = path.substr(begin, end - begin);
      // A test must not make what it looks for.
      if (operation.At({"op"}).Text() == "test" && at->Find(name) == nullptr) {
        static JsonValue absent;
        absent = JsonValue();
        at = &absent;
      } else {
        at = &(*at)[name];
      }
      begin = end + 1;
    }
    if (operation.At({"op"}).Text() == "test") {
      if (!(*at == operation.At({"value"}))) {
        return Error{Code::kConflict, "the test of " + path + " failed"};
      }
    } else {
      *at = operation.At({"value"});
    }
  }
  *this = std::move(changed);
  return Done{};
}

}  // namespace ballast::simulation
