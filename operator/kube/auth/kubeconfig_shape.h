// Whether a kubeconfig has the shape that client-go decodes, in all of its entries: one that nobody
// chooses spoils the file, too. Unknown fields do not count, and null is absent.
//
// Errors: none returned; what is wrong is a problem of the cursor's Decoder.
#pragma once

#include "api/json/json.h"

namespace ballast::kube {

void CheckKubeconfigShape(const json::Cursor& file);

}  // namespace ballast::kube
