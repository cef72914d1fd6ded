{{/* Not empty if a switch that is on by default is not off. Arguments: its section, its name. A section or a setting that is
     null has its default: a switch that of values.yaml; what is passed on (flags, fields of objects) is left out, so that
     the program or Kubernetes has its own. */}}
{{- define "ballast.on" -}}
{{- if ne (get (first . | default dict) (last .) | toString) "false" }}yes{{ end }}
{{- end }}

{{/* A field and its value; nothing for a value that is null. */}}
{{- define "ballast.field" -}}
{{- if not (kindIs "invalid" (last .)) }}{{ first . }}: {{ last . }}{{ end }}
{{- end }}

{{/* A value in YAML, without what is null in it: an API server takes a label that is null as an empty one, a quantity as 0. */}}
{{- define "ballast.given" -}}
{{- regexReplaceAll "(?m)^.+: null$\n?" (toYaml .) "" }}
{{- end }}

{{/* The whole seconds of a duration; Helm can only add one to a time. */}}
{{- define "ballast.seconds" -}}
{{- toDate "2006Z07:00" "1970Z" | dateModify . | unixEpoch }}
{{- end }}

{{- define "ballast.name" -}}
{{- $name := .Values.nameOverride | default .Chart.Name }}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "ballast.serviceAccountName" -}}
{{- $own := include "ballast.on" (list .Values.serviceAccount "create") }}
{{- (.Values.serviceAccount).name | default (empty $own | ternary "default" (include "ballast.name" .)) }}
{{- end }}

{{/* How many replicas there are. */}}
{{- define "ballast.replicas" -}}
{{- $replicas := kindIs "invalid" .Values.replicas | ternary 1 .Values.replicas | int }}
{{- and (eq .Values.preset "ha") (gt $replicas 0) | ternary (max $replicas 2) $replicas }}
{{- end }}

{{/* Only without replicas, nobody pulls the image. */}}
{{- define "ballast.image" -}}
{{- $image := .Values.image | default dict }}
{{- if and (not $image.repository) (gt (int (include "ballast.replicas" .)) 0) }}
{{- fail "image.repository: name the operator's image, as in registry.example.com/ballast; docs/install.md says how to build one" }}
{{- end }}
{{- $repository := $image.repository | default .Chart.Name }}
{{- with (.Values.global | default dict).imageRegistry }}
{{- $parts := splitList "/" $repository }}
{{- $named := and (gt (len $parts) 1) (regexMatch "[.:]|^localhost$" (first $parts)) }}
{{- $repository = printf "%s/%s" (trimSuffix "/" .) ($named | ternary (rest $parts) $parts | join "/") }}
{{- end }}
{{- $image.digest | empty | ternary (printf "%s:%s" $repository ($image.tag | default .Chart.AppVersion)) (printf "%s@%s" $repository $image.digest) }}
{{- end }}

{{/* The node affinity that is given, with the image's architectures; empty if there is neither. A node fits if it fits one
     of the required terms, so each of them gets the condition. */}}
{{- define "ballast.nodeAffinity" -}}
{{- $affinity := deepCopy .given }}
{{- with (.image).architectures }}
{{- $fits := dict "key" "kubernetes.io/arch" "operator" "In" "values" . }}
{{- $required := $affinity.requiredDuringSchedulingIgnoredDuringExecution | default dict }}
{{- $terms := list }}
{{- range $required.nodeSelectorTerms | default (list dict) }}
{{- $terms = append $terms (set . "matchExpressions" (append (.matchExpressions | default list) $fits)) }}
{{- end }}
{{- $affinity = set $affinity "requiredDuringSchedulingIgnoredDuringExecution" (dict "nodeSelectorTerms" $terms) }}
{{- end }}
{{- with $affinity }}{{ toYaml . }}{{ end }}
{{- end }}

{{/* The chart's own and those of the chart that it is a part of; empty if there is none. */}}
{{- define "ballast.imagePullSecrets" -}}
{{- $secrets := list }}
{{- range concat ((.Values.global | default dict).imagePullSecrets | default list) (.Values.imagePullSecrets | default list) }}
{{- $secrets = append $secrets (kindIs "string" . | ternary (dict "name" .) .) }}
{{- end }}
{{- with $secrets }}{{ toYaml (uniq .) }}{{ end }}
{{- end }}

{{- define "ballast.selectorLabels" -}}
app.kubernetes.io/name: ballast
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The labels and annotations of an object's metadata. Arguments: root; labels and annotations that
     only this object has. */}}
{{- define "ballast.marks" -}}
{{- $chart := .root.Chart }}
{{- $own := dict
  "app.kubernetes.io/version" $chart.AppVersion
  "app.kubernetes.io/managed-by" .root.Release.Service
  "helm.sh/chart" (printf "%s-%s" $chart.Name $chart.Version | replace "+" "_") -}}
labels: {{- merge (include "ballast.selectorLabels" .root | fromYaml) $own (.labels | default dict) (.root.Values.commonLabels | default dict) | include "ballast.given" | nindent 2 }}
{{- with merge dict (.annotations | default dict) (.root.Values.commonAnnotations | default dict) }}
annotations: {{- include "ballast.given" . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Not empty if there is a webhook. An operator that runs elsewhere has one if webhook.url is set. */}}
{{- define "ballast.webhook" -}}
{{- if and (include "ballast.on" (list .Values.webhook "enabled")) (or (gt (int (include "ballast.replicas" .)) 0) (.Values.webhook).url) }}yes{{ end }}
{{- end }}

{{/* Not empty if the operator itself makes its webhook's certificates. */}}
{{- define "ballast.makesCertificates" -}}
{{- if and (include "ballast.webhook" .) (not ((.Values.webhook).certManager).enabled) }}yes{{ end }}
{{- end }}

{{/* off, warn or refuse. In YAML, off without quotes is the boolean false. */}}
{{- define "ballast.webhookHpas" -}}
{{- toString (.Values.webhook).horizontalPodAutoscalers | replace "false" "off" }}
{{- end }}

{{/* Not empty if of several replicas one leads, by a Lease. */}}
{{- define "ballast.electsLeader" -}}
{{ include "ballast.on" (list (.Values.operator).leaderElection "enabled") }}
{{- end }}

{{/* Not empty if the ledger is in a volume that stays. */}}
{{- define "ballast.persists" -}}
{{ include "ballast.on" (list (.Values.store).persistence "enabled") }}
{{- end }}

{{/* The ports; null means the usual one. */}}
{{- define "ballast.metricsPort" -}}{{ (.Values.metrics).port | default 8080 | int }}{{- end }}
{{- define "ballast.webhookPort" -}}{{ (.Values.webhook).port | default 9443 | int }}{{- end }}
