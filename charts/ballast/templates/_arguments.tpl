{{/* A flag and its value; nothing for a value that is null: then the program has its default. */}}
{{- define "ballast.flag" -}}
{{- if not (kindIs "invalid" (last .)) }}- --{{ first . }}={{ last . }}{{ end }}
{{- end }}

{{/* The operator's command line. */}}
{{- define "ballast.arguments" -}}
{{- $name := include "ballast.name" . }}
{{- $operator := .Values.operator | default dict -}}
- operator
- --store=/var/lib/ballast/ballast.db
{{ include "ballast.flag" (list "store-max-age" (.Values.store).maxAge) }}
{{ include "ballast.flag" (list "store-max-size" (.Values.store).maxSize) }}
{{- range uniq ($operator.namespaces | default list) }}
- --namespace={{ . }}
{{- end }}
{{ include "ballast.flag" (list "log-level" $operator.logLevel) }}
{{ include "ballast.flag" (list "log-format" $operator.logFormat) }}
- --serve-address=:{{ include "ballast.metricsPort" . }}
{{- if (.Values.metrics).perPolicy }}
- --per-policy-metrics
{{- end }}
{{ include "ballast.flag" (list "shutdown-grace-period" $operator.shutdownGracePeriod) }}
{{ include "ballast.flag" (list "concurrent-horizontal-pod-autoscaler-syncs" $operator.concurrentSyncs) }}
{{ include "ballast.flag" (list "hpa-mode" $operator.hpaMode) }}
{{- range uniq ($operator.hpaTakeoverNamespaces | default list) }}
- --hpa-takeover-namespace={{ . }}
{{- end }}
{{ include "ballast.flag" (list "horizontal-pod-autoscaler-sync-period" $operator.syncPeriod) }}
{{ include "ballast.flag" (list "horizontal-pod-autoscaler-downscale-stabilization" $operator.downscaleStabilization) }}
{{ include "ballast.flag" (list "horizontal-pod-autoscaler-tolerance" $operator.tolerance) }}
{{ include "ballast.flag" (list "horizontal-pod-autoscaler-cpu-initialization-period" $operator.cpuInitializationPeriod) }}
{{ include "ballast.flag" (list "horizontal-pod-autoscaler-initial-readiness-delay" $operator.initialReadinessDelay) }}
{{ include "ballast.flag" (list "max-view-age" $operator.maxViewAge) }}
{{ include "ballast.flag" (list "suspect-source-hold" $operator.suspectSourceHold) }}
{{ include "ballast.flag" (list "longest-override" $operator.longestOverride) }}
{{ include "ballast.flag" (list "pod-metrics-list" $operator.podMetricsList) }}
{{ include "ballast.flag" (list "evaluation-moments" $operator.evaluationMoments) }}
{{- if .Values.metricSources }}
- --metric-sources=/etc/ballast/metric-sources/sources.yaml
{{- end }}
{{- range $gate, $on := $operator.featureGates }}
{{- if kindIs "bool" $on }}
- --feature-gates={{ $gate }}={{ $on }}
{{- end }}
{{- end }}
{{- if include "ballast.webhook" . }}
- --webhook-address=:{{ include "ballast.webhookPort" . }}
{{- if not (kindIs "invalid" (.Values.webhook).horizontalPodAutoscalers) }}
- --webhook-hpas={{ include "ballast.webhookHpas" . }}
{{- end }}
{{- if .Values.policyRules }}
- --policy-rules=/etc/ballast/policy-rules/rules.yaml
{{- end }}
{{- if include "ballast.makesCertificates" . }}
- --webhook-secret={{ .Release.Namespace }}/{{ $name }}-webhook
- --webhook-configuration={{ $name }}
- --webhook-host={{ $name }}-webhook.{{ .Release.Namespace }}.svc
{{- else }}
- --webhook-certificate-dir=/etc/ballast/webhook
{{- end }}
{{- end }}
{{- if include "ballast.electsLeader" . }}
{{- $election := $operator.leaderElection | default dict }}
- --leader-elect
- --leader-elect-resource-name={{ $name }}
{{ include "ballast.flag" (list "leader-elect-resource-namespace" .Release.Namespace) }}
- --leader-elect-identity=$(POD_NAME)_$(POD_UID)
{{ include "ballast.flag" (list "leader-elect-lease-duration" $election.leaseDuration) }}
{{ include "ballast.flag" (list "leader-elect-renew-deadline" $election.renewDeadline) }}
{{ include "ballast.flag" (list "leader-elect-retry-period" $election.retryPeriod) }}
{{- end }}
{{- range $operator.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}
