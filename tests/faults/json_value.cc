#include "tests/faults/json_value.h"

#include <cstdlib>

namespace ballast::faults {

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
    value.value_ = Shared(std::move(object));
  } else if (cursor.IsArray()) {
    Array array;
    for (const json::Cursor& element : cursor.Elements()) {
      array.push_back(From(element));
    }
    value.value_ = Shared(std::move(array));
  } else if (cursor.IsString()) {
    value.value_ = std::string(cursor.Text());
  } else if (cursor.IsNumber()) {
    const auto integer = cursor.Integer();
    value.value_ = Number{integer ? std::to_string(*integer) : cursor.NumberText()};
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
  if (const Object* object = Members()) {
    out.Object([&] {
      for (const auto& [name, member] : *object) {
        out.Key(name);
        member.PrintTo(out);
      }
    });
  } else if (const Array* array = Elements()) {
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

const JsonValue::Array* JsonValue::Elements() const {
  const auto* array = std::get_if<Shared<Array>>(&value_);
  return array == nullptr ? nullptr : &array->Get();
}

const JsonValue::Object* JsonValue::Members() const {
  const auto* object = std::get_if<Shared<Object>>(&value_);
  return object == nullptr ? nullptr : &object->Get();
}

JsonValue::Object& JsonValue::OwnMembers() {
  if (!std::holds_alternative<Shared<Object>>(value_)) {
    value_ = Shared(Object());
  }
  return std::get<Shared<Object>>(value_).Own();
}

JsonValue& JsonValue::operator[](const std::string& name) { return OwnMembers()[name]; }

const JsonValue* JsonValue::Find(std::string_view name) const {
  const Object* object = Members();
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

void JsonValue::Remove(std::string_view name) {
  if (Find(name) != nullptr) {
    Object& members = OwnMembers();
    members.erase(members.find(name));
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
  const Object* members = patch.Members();
  if (members == nullptr) {
    *this = patch;
    return;
  }
  OwnMembers();
  for (const auto& [name, member] : *members) {
    if (member.is_null()) {
      Remove(name);
    } else {
      (*this)[name].Merge(member);
    }
  }
}

void JsonValue::RemoveAt(const std::string& path) {
  const std::size_t end = path.find('/', 1);
  if (end == std::string::npos) {
    Remove(path.substr(1));
  } else if (Find(path.substr(1, end - 1)) != nullptr) {
    (*this)[path.substr(1, end - 1)].RemoveAt(path.substr(end));
  }
}

Status JsonValue::Patch(const JsonValue& patch) {
  JsonValue changed = *this;
  const Array* operations = patch.Elements();
  if (operations == nullptr) {
    return Error{Code::kInvalid, "a JSON patch is an array"};
  }
  for (const JsonValue& operation : *operations) {
    const std::string path = operation.At({"path"}).Text();
    if (operation.At({"op"}).Text() == "remove") {
      changed.RemoveAt(path);
      continue;
    }
    JsonValue* at = &changed;
    std::size_t begin = 1;
    while (begin <= path.size()) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      const std::string name = path.substr(begin, end - begin);
      // A test must not make what it looks for.
      if (auto* elements = std::get_if<Shared<Array>>(&at->value_)) {
        at = &elements->Own().at(std::stoull(name));
      } else if (operation.At({"op"}).Text() == "test" && at->Find(name) == nullptr) {
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

}  // namespace ballast::faults
