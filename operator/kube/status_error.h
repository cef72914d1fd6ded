// What an API server's refusal means: HTTP status and metav1.Status to Error.
//
// The Status' reason counts before the HTTP status. One case is told apart by its text: a JSON
// Patch whose `test` failed is 422 like any other invalid patch, but means that somebody else
// changed the object, so it is kConflict. Thread-safety: pure functions.
#pragma once

#include <string_view>

#include "api/base/result.h"
#include "api/json/json.h"

namespace ballast::kube {

// For an answer other than 2xx; `body` may be anything. The message is the Status' own with its
// causes, else the beginning of the body.
Error ErrorFromAnswer(int http_status, std::string_view body);

// For the object of a watch's ERROR event.
Error ErrorFromStatus(const json::Cursor& status, int http_status);

}  // namespace ballast::kube
