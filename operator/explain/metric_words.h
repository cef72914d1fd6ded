// The metrics of an autoscaler in words.
#pragma once

#include <string>

#include "api/autoscaling/types.h"

namespace ballast::explain {

// "cpu", "queue", "cpu of container web", "the query of main"
std::string NameOf(const api::MetricSpec& metric);

// "57%", "10.75 a pod", "512Mi"; empty: there is no value.
std::string Figure(const api::MetricValueStatus& value);

// The metric's target, in the same form.
std::string FigureOfTarget(const api::MetricSpec& metric);

}  // namespace ballast::explain
