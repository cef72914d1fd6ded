#include "api/autoscaling/schema.h"

#include <utility>

#include "api/autoscaling/mode.h"
#include "api/autoscaling/schedule.h"

namespace ballast::api {

namespace {

using Type = SchemaField::Type;
using Fields = std::vector<SchemaField>;

// Long enough for any name, and short enough for the API server to bound the cost of the rules.
constexpr std::int64_t kMaxName = 253;
constexpr std::int64_t kMaxMetrics = 100;
constexpr std::int64_t kMaxQuery = 2048;
constexpr std::int64_t kMaxPolicies = 50;
constexpr std::int64_t kMaxSchedules = 64;
constexpr std::int64_t kMaxDays = 7;
constexpr std::int64_t kMaxDates = 366;

// Appends `more` to `fields`.
Fields operator+(Fields fields, Fields more) {
  std::move(more.begin(), more.end(), std::back_inserter(fields));
  return fields;
}

SchemaField Text(std::string name, std::string description) {
  return {.name = std::move(name), .description = std::move(description)};
}
SchemaField Name(std::string name, std::string description) {
  SchemaField field = Text(std::move(name), std::move(description));
  field.required = true;
  field.minimum = 1;
  field.maximum = kMaxName;
  return field;
}
// A name that becomes part of a URL's path.
SchemaField PathName(std::string name, std::string description) {
  SchemaField field = Name(std::move(name), std::move(description));
  field.pattern = R"(^([^/%]*[^/%.][^/%]*|\.{3,})$)";  // not "." or ".."
  return field;
}
SchemaField Choice(std::string name, std::string description, std::vector<std::string> allowed) {
  SchemaField field = Text(std::move(name), std::move(description));
  field.allowed = std::move(allowed);
  return field;
}
SchemaField Number(std::string name, std::string description,
                   std::optional<std::int64_t> minimum = {},
                   std::optional<std::int64_t> maximum = {}) {
  return {.name = std::move(name),
          .type = Type::kInt32,
          .description = std::move(description),
          .minimum = minimum,
          .maximum = maximum};
}
SchemaField Of(Type type, std::string name, std::string description) {
  return {.name = std::move(name), .type = type, .description = std::move(description)};
}
SchemaField Object(std::string name, std::string description, Fields fields) {
  return {.name = std::move(name),
          .type = Type::kObject,
          .description = std::move(description),
          .fields = std::move(fields)};
}
SchemaField List(std::string name, std::string description, SchemaField element,
                 std::optional<std::int64_t> maximum = {}) {
  return {.name = std::move(name),
          .type = Type::kList,
          .description = std::move(description),
          .maximum = maximum,
          .fields = {std::move(element)}};
}
SchemaField Required(SchemaField field) {
  field.required = true;
  return field;
}
SchemaField Rule(SchemaField field, std::string expression, std::string message,
                 std::string blamed = {}) {
  field.rules.push_back({std::move(expression), std::move(message), std::move(blamed)});
  return field;
}
SchemaField Default(SchemaField field, std::string json) {
  field.default_json = std::move(json);
  return field;
}

Fields Reference(const std::string& what) {
  SchemaField version = Text("apiVersion", "API version of " + what + ", for example apps/v1.");
  version.maximum = kMaxName;
  return {version, PathName("kind", "Kind of " + what + ", for example Deployment."),
          PathName("name", "Name of " + what + ".")};
}

SchemaField Selector(const std::string& name = "selector") {
  return Object(
      name,
      "Which of the metric's series to use; passed to the metrics API as its label selector. "
      "Absent: the metric's name alone decides.",
      {Of(Type::kTextMap, "matchLabels", "Labels and the values that they must have."),
       List("matchExpressions", "Conditions on labels, all of which must hold.",
            Object("", "",
                   {Required(Text("key", "The label.")),
                    Required(Text("operator", "In, NotIn, Exists or DoesNotExist.")),
                    List("values", "What In and NotIn compare with.", Text("", ""), 100)}),
            100)});
}

SchemaField Metric() {
  return Required(Object("metric", "The metric.",
                         {PathName("name", "Name of the metric in its metrics API."), Selector()}));
}

// A quantity above zero: the text has a digit that is not 0 before its suffix. This is no CEL rule,
// because Kubernetes 1.29 takes a quantity's length for unlimited, and refuses the CRD for the
// cost.
SchemaField PositiveQuantity(std::string name, std::string description) {
  SchemaField field = Of(Type::kQuantity, std::move(name), std::move(description));
  field.pattern = R"(^\+?((0*[1-9][0-9]*(\.[0-9]*)?)|(0*\.0*[1-9][0-9]*))(([KMGTPE]i)|[numkMGTPE]|)"
                  R"(([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";
  field.minimum = 1;
  return field;
}

SchemaField Target() {
  return Required(Object(
      "target", "What the metric is held at.",
      {Required(Choice("type",
                       "Utilization (percent of the request), Value (as it is) or AverageValue "
                       "(divided by the number of pods).",
                       {"Utilization", "Value", "AverageValue"})),
       PositiveQuantity("value", "Target of the metric as it is, for example 100 or 2500m."),
       PositiveQuantity("averageValue", "Target of the metric divided by the number of pods."),
       Number("averageUtilization",
              "Target of the average over the pods, in percent of what they request. Only for "
              "Resource and ContainerResource.",
              1)}));
}

SchemaField MetricSpec() {
  const std::string usage = "has(self.target.averageUtilization) != has(self.target.averageValue)";
  const std::string usage_message = "target must have averageUtilization or averageValue";
  const SchemaField name = Name("name", "Name of the resource, cpu or memory.");
  return Rule(
      Object(
          "", "",
          {Required(Choice("type",
                           "Where the metric comes from; the member of that name (resource, "
                           "containerResource, pods, object, external) must be set, and no other.",
                           {"Resource", "ContainerResource", "Pods", "Object", "External"})),
           Rule(Object("resource", "CPU or memory of the pods, summed over their containers.",
                       {name, Target()}),
                usage, usage_message, ".target"),
           Rule(Object("containerResource", "CPU or memory of one container of each pod.",
                       {name, Target(), Name("container", "Name of the container.")}),
                usage, usage_message, ".target"),
           Rule(Object("pods", "A metric that each pod has, averaged over the pods.",
                       {Metric(), Target()}),
                "has(self.target.averageValue)", "target must have averageValue", ".target"),
           Rule(
               Object("object", "A metric of one other object, for example requests of an Ingress.",
                      {Required(Object("describedObject", "The object that has the metric.",
                                       Reference("the object"))),
                       Target(), Metric()}),
               "has(self.target.value) || has(self.target.averageValue)",
               "target must have value or averageValue", ".target"),
           Rule(Object("external",
                       "A metric from outside of the cluster, for example a queue's length.",
                       {Metric(), Target()}),
                "has(self.target.value) != has(self.target.averageValue)",
                "target must have value or averageValue, not both", ".target")}),
      "has(self.resource) == (self.type == 'Resource') && has(self.containerResource) == "
      "(self.type == 'ContainerResource') && has(self.pods) == (self.type == 'Pods') && "
      "has(self.object) == (self.type == 'Object') && has(self.external) == (self.type == "
      "'External')",
      "exactly the member that the type names must be set");
}

// With what only the metrics of a policy have.
SchemaField PolicyMetricSpec() {
  SchemaField metric = MetricSpec();
  metric.fields.front() = Required(
      Choice("type",
             "Where the metric comes from; the member of that name (resource, containerResource, "
             "pods, object, external, prometheus) must be set, and no other.",
             {"Resource", "ContainerResource", "Pods", "Object", "External", "Prometheus"}));
  metric.rules.front().expression += " && has(self.prometheus) == (self.type == 'Prometheus')";
  SchemaField query = Required(
      Text("query",
           "PromQL with one number as its result. $namespace is the policy's namespace, $target "
           "the name of what it scales; each stands within quotes, and $$ is a dollar."));
  query.minimum = 1;
  query.maximum = kMaxQuery;
  metric.fields.push_back(
      Rule(Object("prometheus", "A query that Prometheus is asked directly.",
                  {Name("source", "Which Prometheus: a name that the installation defines."),
                   std::move(query), Target()}),
           "has(self.target.value) != has(self.target.averageValue)",
           "target must have value or averageValue, not both", ".target"));
  metric.fields.push_back(
      Number("maxSampleAgeSeconds",
             "How old a sample may be and still count; an older one is missing. Absent: 300, or "
             "three windows of the source if that is longer.",
             1, 86400));
  return metric;
}

SchemaField ScalingPolicies(const std::string& fallback) {
  SchemaField policies = List(
      "policies", "How fast the number of replicas may change in this direction.",
      Object(
          "", "",
          {Required(Choice("type", "Pods (a number of them) or Percent (of the present replicas).",
                           {"Pods", "Percent"})),
           Required(Number("value",
                           "How many pods, or percent, may be added or removed in one period.", 1)),
           Required(Number("periodSeconds", "The period, in seconds.", 1, 1800))}),
      kMaxPolicies);
  policies.minimum = 1;
  return Default(std::move(policies), fallback);
}

SchemaField ScalingRules(const std::string& name, const std::string& description,
                         SchemaField window, const std::string& policies) {
  return Default(
      Object(name, description,
             {std::move(window),
              Default(Choice("selectPolicy",
                             "Which of the policies counts: the one that allows the largest change "
                             "(Max), the smallest (Min), or none at all: Disabled switches scaling "
                             "in this direction off.",
                             {"Max", "Min", "Disabled"}),
                      "\"Max\""),
              ScalingPolicies(policies),
              Of(Type::kQuantity, "tolerance",
                 "How far the metric may be off its target, as a fraction (0.1 is 10 %), before "
                 "anything is changed in this direction. Absent: the controller's "
                 "--horizontal-pod-autoscaler-tolerance.")}),
      "{}");
}

SchemaField Behavior() {
  const std::string window =
      "For how many seconds past proposals are looked at, the most cautious of which counts. ";
  return Object(
      "behavior",
      "How fast and how readily the target is scaled up and down. Absent: up by at most 4 pods or "
      "100 % every 15 seconds at once, down to the highest proposal of the last 5 minutes.",
      {ScalingRules(
           "scaleUp", "Rules for adding replicas.",
           Default(Number("stabilizationWindowSeconds", window + "0: none.", 0, 3600), "0"),
           R"([{"type":"Pods","value":4,"periodSeconds":15},)"
           R"({"type":"Percent","value":100,"periodSeconds":15}])"),
       ScalingRules("scaleDown", "Rules for removing replicas.",
                    Number("stabilizationWindowSeconds",
                           window + "Absent: the controller's "
                                    "--horizontal-pod-autoscaler-downscale-stabilization, 300.",
                           0, 3600),
                    R"([{"type":"Percent","value":100,"periodSeconds":15}])")});
}

Fields ReplicaBounds() {
  return {Rule(Required(Object("scaleTargetRef",
                               "What is scaled: a Deployment, StatefulSet, or anything else that "
                               "has a scale subresource, in the same namespace.",
                               Reference("the target"))),
               "self.kind == 'ReplicationController' || (has(self.apiVersion) && "
               "self.apiVersion.matches('^[^/]+/[^/]*$'))",
               "apiVersion must name the API group, as in apps/v1", ".apiVersion"),
          Default(Number("minReplicas",
                         "The least number of replicas. 0 needs a metric of type Object, "
                         "External or Prometheus, which can wake the target again.",
                         0),
                  "1"),
          Required(Number("maxReplicas", "The greatest number of replicas.", 1))};
}

// The fields that HorizontalPodAutoscaler (autoscaling/v2) and AutoScalePolicy share.
// `metric`: one of spec.metrics.
Fields SharedSpec(SchemaField metric) {
  SchemaField metrics = List("metrics",
                             "What the number of replicas is derived from; each proposes one, the "
                             "highest counts. Absent: 80 % of the requested CPU.",
                             std::move(metric), kMaxMetrics);
  metrics.default_json = R"([{"type":"Resource","resource":{"name":"cpu",)"
                         R"("target":{"type":"Utilization","averageUtilization":80}}}])";
  metrics.default_when_empty = true;
  return ReplicaBounds() + Fields{std::move(metrics), Behavior()};
}

Fields HpaSpec() { return SharedSpec(MetricSpec()); }

SchemaField Fallback() {
  return Rule(
      Object(
          "fallback",
          "What counts while no metric gives a value. Absent: the target keeps its replicas.",
          {Number("afterSeconds",
                  "For so long no metric must have given a value before the fallback counts. "
                  "Absent: three periods, at least two minutes.",
                  1, 86400),
           Number("replicas", "The number of replicas to have then.", 1),
           Default(Choice("behavior",
                          "Static: `replicas`. CurrentReplicas: as many as there are. "
                          "CurrentReplicasIfHigher and CurrentReplicasIfLower: the greater and "
                          "the lesser of the two.",
                          {"Static", "CurrentReplicas", "CurrentReplicasIfHigher",
                           "CurrentReplicasIfLower"}),
                   "\"Static\""),
           Default(Of(Type::kBool, "allowScaleIn", "Whether the fallback may remove replicas too."),
                   "false")}),
      "has(self.replicas) || (has(self.behavior) && self.behavior == 'CurrentReplicas')",
      "replicas must be set, unless behavior is CurrentReplicas", ".replicas");
}

SchemaField Matching(SchemaField field, std::string pattern, std::int64_t longest) {
  field.pattern = std::move(pattern);
  field.minimum = 1;
  field.maximum = longest;
  return field;
}

SchemaField Dates(std::string name, std::string description) {
  return List(std::move(name), std::move(description),
              Matching(Text("", ""), R"(^[0-9]{4}-[0-9]{2}-[0-9]{2}$)", 10), kMaxDates);
}

Fields ScheduleTimes() {
  const std::string day = "(Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
  const std::string time = "([01][0-9]|2[0-3]):[0-5][0-9]";
  return {
      Matching(Name("timeZone", "The zone of its times, for example Europe/Berlin, or UTC."),
               R"(^[A-Za-z0-9_+/-]+$)", 64),
      List("days", "On which days windows start: Mon, or Mon-Fri. Absent: every day.",
           Matching(Text("", ""), "^" + day + "(-" + day + ")?$", 7), kMaxDays),
      Matching(Text("from", "When windows start, by the wall clock: \"08:00\"."), "^" + time + "$",
               5),
      Matching(Text("to",
                    "When they end: \"18:00\". Before `from`: on the next day. A day ends at "
                    "\"24:00\"."),
               "^(" + time + "|24:00)$", 5),
      Matching(Text("cron",
                    "Instead of `from`: when windows start, in five fields (minute, hour, day of "
                    "month, month, day of week), by the wall clock."),
               "", 256),
      Matching(Text("duration", "Instead of `to`: how long each of them lasts, for example 10h."),
               "", 16),
      Dates("except", "Days on which no window starts, for example \"2026-12-25\"."),
      Dates("only", "If set, windows start on these days alone.")};
}

SchemaField Schedules() {
  SchemaField name = Matching(Name("name", "Its name, by which status and history tell of it."),
                              "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", 63);
  SchemaField schedule = Object(
      "", "",
      Fields{std::move(name)} + ScheduleTimes() +
          Fields{
              Number("minReplicas", "The least number of replicas within its windows.", 0),
              Number(
                  "maxReplicas",
                  "The greatest number of replicas within its windows. 0 switches the target off, "
                  "whatever minReplicas and the metrics say, until the window ends or another "
                  "schedule's minReplicas counts.",
                  0),
              Choice("hold",
                     "What must not change within its windows: ScaleUp (no replicas are added), "
                     "ScaleDown (none are removed), or All.",
                     {kHolds.begin(), kHolds.end()}),
              Number(
                  "rampMinutes",
                  "For so long the bound moves step by step to where it is to be: minReplicas "
                  "before the window starts, so that its pods are ready then, maxReplicas from the "
                  "start on. Absent: as long as the rates of behavior take.",
                  1, 1440)});
  schedule.rules = {
      {"has(self.from) == has(self.to) && has(self.cron) == has(self.duration) && has(self.from) "
       "!= "
       "has(self.cron)",
       "must have from and to, or else cron and duration"},
      {"!has(self.days) || has(self.from)", "days need from and to; cron has a day of week itself",
       ".days"},
      {"has(self.minReplicas) || has(self.maxReplicas) || has(self.hold)",
       "must have minReplicas, maxReplicas or hold"},
      {"!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas",
       "maxReplicas must not be less than minReplicas", ".maxReplicas"}};
  SchemaField schedules = List(
      "schedules",
      "Bounds and holds by the clock. They narrow minReplicas and maxReplicas while one of their "
      "windows is open. Of several the highest minReplicas and the lowest maxReplicas count; "
      "minReplicas beats maxReplicas.",
      std::move(schedule), kMaxSchedules);
  schedules.list_key = "name";
  return schedules;
}

SchemaField PodSelection() {
  SchemaField field = Default(
      Choice("podSelection",
             "Which pods count. Selector: all that the target's selector matches, as the "
             "HorizontalPodAutoscaler has it, whoever made them. Owned: of these only those that "
             "the target owns, directly or by way of others (as a Deployment by way of its "
             "ReplicaSets), so that Jobs, canaries and test pods with the same labels do not "
             "count. Absent: the installation's default, else Selector.",
             {"Selector", "Owned"}),
      "\"Selector\"");
  field.default_may_differ = true;
  return field;
}

Fields PolicySpec() {
  return {
      Default(Choice("mode",
                     "Active scales the target. DryRun decides and records, but never changes the "
                     "target. Disabled is for maintenance: nothing is decided.",
                     PolicyModeNames()),
              "\"Active\""),
      Number("syncPeriodSeconds",
             "How often the policy is evaluated, in seconds. A change of the spec is evaluated at "
             "once. Absent: the controller's --horizontal-pod-autoscaler-sync-period, 15.",
             1, 3600),
      Object("readiness", "When the CPU usage of young pods counts, for this policy.",
             {Number("cpuInitializationPeriodSeconds",
                     "For so long after its start, a pod's CPU usage counts only while the pod is "
                     "ready. Absent: the controller's "
                     "--horizontal-pod-autoscaler-cpu-initialization-period, 300.",
                     0, 86400),
              Number("initialReadinessDelaySeconds",
                     "A pod that turned unready within that time after its start counts as never "
                     "having been ready. Absent: the controller's "
                     "--horizontal-pod-autoscaler-initial-readiness-delay, 30.",
                     0, 86400)}),
      PodSelection(),
      Fallback(),
      Schedules()};
}

SchemaField CurrentValue() {
  return Required(Object("current", "The metric's value.",
                         {Of(Type::kQuantity, "value", "As it is."),
                          Of(Type::kQuantity, "averageValue", "Divided by the number of pods."),
                          Number("averageUtilization", "In percent of the request.")}));
}

SchemaField StatusMetric() {
  return Required(
      Object("metric", "The metric.", {Required(Text("name", "Its name.")), Selector()}));
}

SchemaField CurrentMetric() {
  const SchemaField name = Required(Text("name", "Name of the resource."));
  return Object(
      "", "",
      {Required(Text("type", "Where the metric comes from; empty when it could not be had.")),
       Object("resource", "", {name, CurrentValue()}),
       Object("containerResource", "",
              {name, CurrentValue(), Required(Text("container", "Name of the container."))}),
       Object("pods", "", {StatusMetric(), CurrentValue()}),
       Object("object", "",
              {StatusMetric(), CurrentValue(),
               Required(Object("describedObject", "The object that has the metric.",
                               {Text("apiVersion", ""), Required(Text("kind", "")),
                                Required(Text("name", ""))}))}),
       Object("external", "", {StatusMetric(), CurrentValue()})});
}

SchemaField PolicyCurrentMetric() {
  SchemaField status = CurrentMetric();
  status.fields.push_back(
      Object("prometheus", "", {Required(Text("source", "Which Prometheus.")), CurrentValue()}));
  return status;
}

SchemaField CurrentMetrics(SchemaField metric) {
  return List("currentMetrics", "The metrics as last seen, in the order of spec.metrics.",
              std::move(metric));
}

Fields StatusBasics() {
  return {Of(Type::kInt64, "observedGeneration",
             "The generation of the spec that was last acted upon."),
          Of(Type::kTime, "lastScaleTime", "When the target was last scaled."),
          Number("currentReplicas", "Replicas of the target when last looked at."),
          Number("desiredReplicas", "Replicas that were last found right.")};
}

SchemaField Conditions() {
  SchemaField conditions = List(
      "conditions", "Whether scaling works, and if not, why.",
      Object(
          "", "",
          {Required(Text("type", "For example AbleToScale, ScalingActive, ScalingLimited.")),
           Required(Text("status", "True, False or Unknown.")),
           Of(Type::kTime, "lastTransitionTime", "When the status last changed."),
           Text("reason", "One word for programs."), Text("message", "One sentence for people.")}));
  conditions.list_key = "type";
  return conditions;
}

SchemaField ScaleEvents(const std::string& name, const std::string& description) {
  return List(name, description,
              Object("", "",
                     {Required(Of(Type::kTime, "time", "When.")),
                      Required(Number("change", "By how many replicas."))}));
}

Fields PolicyStatus() {
  return {
      Text("targets", "The metrics and their targets in short, as kubectl get shows them."),
      Object("lastDecision", "The last decision that changed something.",
             {Text("id", "Under which the decision is recorded."),
              Of(Type::kTime, "time", "When it was made."),
              Text("limit", "What limited it, if anything.")}),
      Object(
          "schedules", "What spec.schedules say at present, and when that changes next.",
          {List("active", "The windows that are open.",
                Object("", "",
                       {Required(Text("name", "The schedule's.")),
                        Of(Type::kTime, "since", "When it started; absent: more than a year ago."),
                        Of(Type::kTime, "until",
                           "When it ends; absent: not within a year, or not known, since the "
                           "schedule's zone cannot be found.")})),
           Object("next", "The next change of bounds or holds.",
                  {Of(Type::kTime, "time", "When it is."),
                   Text("schedule", "One whose window starts or ends then."),
                   Number("minReplicas", "The least replicas from then on."),
                   Number("maxReplicas", "The most replicas from then on."),
                   Text("hold",
                        "What schedules hold from then on: All, ScaleUp, ScaleDown or None.")}),
           Number(
               "startupSeconds",
               "So long before its window a floor is reached: how long the target's pods took to "
               "start of late, or 60 if that is not known.")}),
      Object(
          "memory",
          "What later decisions still depend on, so that a restart elsewhere forgets nothing.",
          {Text("target", "The uid of the target that it is of."),
           Text("writer", "Whose store has it: host and path."),
           Number("term", "As which leader, counted by the lease's transitions, it was written."),
           List("recommendations", "Numbers of replicas that were proposed, and from when to when.",
                Object("", "",
                       {Required(Number("value", "Replicas.")),
                        Required(Of(Type::kTime, "from", "First proposed.")),
                        Required(Of(Type::kTime, "to", "Last proposed."))})),
           ScaleEvents("scaleUps", "Replicas added within the longest period of scaleUp."),
           ScaleEvents("scaleDowns", "Replicas removed within the longest period of scaleDown."),
           List("usedSamples", "Samples that have already justified a scale-up.",
                Object("", "",
                       {Required(Text("metric", "Which metric.")),
                        Required(Of(Type::kTime, "timestamp", "The sample's time."))})),
           Of(Type::kTime, "noValueSince",
              "When a metric last gave a value, if the policy has a fallback and none does "
              "now."),
           Of(Type::kTime, "suspectSince",
              "Since when a source of its metrics is suspect, if one is.")})};
}

SchemaField Metadata() {
  SchemaField managed_fields =
      List("managedFields", "",
           Object("", "",
                  {Text("manager", ""), Text("operation", ""), Text("apiVersion", ""),
                   Of(Type::kTime, "time", ""), Text("fieldsType", ""),
                   Of(Type::kAny, "fieldsV1", ""), Text("subresource", "")}));
  managed_fields.of_servers = SchemaField::OfServers::kYes;
  SchemaField metadata = Object(
      "metadata", "",
      {Text("name", ""), Text("generateName", ""), Text("namespace", ""), Text("selfLink", ""),
       Text("uid", ""), Text("resourceVersion", ""), Of(Type::kInt64, "generation", ""),
       Of(Type::kTime, "creationTimestamp", ""), Of(Type::kTime, "deletionTimestamp", ""),
       Of(Type::kInt64, "deletionGracePeriodSeconds", ""), Of(Type::kTextMap, "labels", ""),
       Of(Type::kTextMap, "annotations", ""),
       List("ownerReferences", "",
            Object("", "",
                   {Text("apiVersion", ""), Text("kind", ""), Text("name", ""), Text("uid", ""),
                    Of(Type::kBool, "controller", ""), Of(Type::kBool, "blockOwnerDeletion", "")})),
       List("finalizers", "", Text("", "")), std::move(managed_fields)});
  metadata.of_servers = SchemaField::OfServers::kOnceStored;
  return metadata;
}

SchemaField Whole(const std::string& description, SchemaField spec, SchemaField status) {
  status.of_servers = SchemaField::OfServers::kYes;
  return Object(
      "", description,
      {Text("apiVersion", ""), Text("kind", ""), Metadata(), std::move(spec), std::move(status)});
}

SchemaField Policy() {
  SchemaField spec = Required(
      Object("spec", "How the target is scaled.", SharedSpec(PolicyMetricSpec()) + PolicySpec()));
  spec.rules = {
      {"!has(self.minReplicas) || self.maxReplicas >= self.minReplicas",
       "maxReplicas must be greater than or equal to minReplicas", ".maxReplicas"},
      {"!has(self.minReplicas) || self.minReplicas > 0 || (has(self.metrics) && "
       "self.metrics.exists(m, m.type == 'Object' || m.type == 'External' || m.type == "
       "'Prometheus'))",
       "minReplicas 0 needs a metric of type Object, External or Prometheus, which can wake the "
       "target",
       ".metrics"},
      {"!has(self.fallback) || !has(self.fallback.replicas) || (self.fallback.replicas <= "
       "self.maxReplicas && (!has(self.minReplicas) || self.fallback.replicas >= "
       "self.minReplicas))",
       "fallback.replicas must lie between minReplicas and maxReplicas", ".fallback.replicas"},
      {"!has(self.schedules) || self.schedules.all(s, (!has(s.minReplicas) || (s.minReplicas <= "
       "self.maxReplicas && s.minReplicas >= (has(self.minReplicas) ? self.minReplicas : 1))) && "
       "(!has(s.maxReplicas) || s.maxReplicas == 0 || (s.maxReplicas <= self.maxReplicas && "
       "s.maxReplicas >= (has(self.minReplicas) ? self.minReplicas : 1))))",
       "minReplicas and maxReplicas of schedules must lie between those of the spec",
       ".schedules"}};
  return Whole(
      "AutoScalePolicy scales a workload by metrics. Its spec has every field of a "
      "HorizontalPodAutoscaler (autoscaling/v2) with the same meaning, and more.",
      std::move(spec),
      Object("status", "What the controller last saw and did.",
             StatusBasics() + Fields{CurrentMetrics(PolicyCurrentMetric()), Conditions()} +
                 PolicyStatus()));
}

// The metrics of autoscaling/v2beta1 and of the annotation in which autoscaling/v1 keeps them.
SchemaField OldMetricSpec() {
  const SchemaField name = Text("name", "");
  const SchemaField metric_name = Text("metricName", "");
  const SchemaField utilization = Number("targetAverageUtilization", "");
  const SchemaField average = Of(Type::kQuantity, "targetAverageValue", "");
  return Object(
      "", "",
      {Text("type", ""), Object("resource", "", {name, utilization, average}),
       Object("containerResource", "", {name, utilization, average, Text("container", "")}),
       Object("pods", "", {metric_name, average, Selector()}),
       Object("object", "",
              {Object("target", "", Reference("the object")), metric_name,
               Of(Type::kQuantity, "targetValue", ""), Selector(),
               Of(Type::kQuantity, "averageValue", "")}),
       Object("external", "",
              {metric_name, Selector("metricSelector"), Of(Type::kQuantity, "targetValue", ""),
               average})});
}

SchemaField OldStatus(Fields more) {
  return Object("status", "", StatusBasics() + std::move(more));
}

}  // namespace

const SchemaField* SchemaField::Find(std::string_view member) const {
  for (const SchemaField& field : fields) {
    if (field.name == member) {
      return &field;
    }
  }
  return nullptr;
}

const SchemaField& PolicySchema() {
  static const SchemaField schema = Policy();
  return schema;
}

const SchemaField& HpaSchema() {
  static const SchemaField schema = Whole(
      "", Object("spec", "", HpaSpec()),
      Object("status", "", StatusBasics() + Fields{CurrentMetrics(CurrentMetric()), Conditions()}));
  return schema;
}

const SchemaField& HpaV1Schema() {
  static const SchemaField schema = Whole(
      "",
      Object("spec", "", ReplicaBounds() + Fields{Number("targetCPUUtilizationPercentage", "")}),
      OldStatus({Number("currentCPUUtilizationPercentage", "")}));
  return schema;
}

const SchemaField& HpaV2Beta1Schema() {
  static const SchemaField schema =
      Whole("", Object("spec", "", ReplicaBounds() + Fields{List("metrics", "", OldMetricSpec())}),
            OldStatus({List("currentMetrics", "", Of(Type::kAny, "", "")), Conditions()}));
  return schema;
}

}  // namespace ballast::api
