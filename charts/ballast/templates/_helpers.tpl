{{- define "ballast.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "ballast.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "ballast.name" .) }}
{{- end }}

{{- define "ballast.selectorLabels" -}}
app.kubernetes.io/name: ballast
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ballast.labels" -}}
{{ include "ballast.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* Not empty if there is a webhook. An operator that runs elsewhere has one if webhook.url is set. */}}
{{- define "ballast.webhook" -}}
{{- if and .Values.webhook.enabled (or (gt (int .Values.replicas) 0) .Values.webhook.url) }}yes{{ end }}
{{- end }}

{{/* off, warn or refuse. In YAML, off without quotes is the boolean false. */}}
{{- define "ballast.webhookHpas" -}}
{{- $mode := toString .Values.webhook.horizontalPodAutoscalers | replace "false" "off" }}
{{- if not (has $mode (list "off" "warn" "refuse")) }}
{{- fail (printf "webhook.horizontalPodAutoscalers: must be off, warn or refuse, is %s" $mode) }}
{{- end }}
{{- $mode }}
{{- end }}

{{/* The operator's permissions where it may be the controller of HorizontalPodAutoscalers. */}}
{{- define "ballast.manageRules" -}}
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers/status]
  verbs: [patch]
# Their memory. Nothing but the name restricts what may be created.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [create]
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [ballast-hpa-memory]
  verbs: [get, patch]
{{- end }}

{{/* The operator's permissions in the namespaces that it serves. */}}
{{- define "ballast.rules" -}}
- apiGroups: [ballast.dev]
  resources: [autoscalepolicies]
  verbs: [get, list, watch]
- apiGroups: [ballast.dev]
  resources: [autoscalepolicies/status]
  verbs: [patch]
# Read only: a policy yields to an HPA on the same target, and what happens to HPAs is recorded.
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
- apiGroups: [apps]
  resources: [deployments, statefulsets, replicasets]
  verbs: [get, list, watch]
- apiGroups: [apps]
  resources: [deployments/scale, statefulsets/scale, replicasets/scale]
  verbs: [get, patch]
- apiGroups: [""]
  resources: [replicationcontrollers]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [replicationcontrollers/scale]
  verbs: [get, patch]
{{- range .Values.customTargets }}
- apiGroups: [{{ .group | quote }}]
  resources: {{ .resources | toJson }}
  verbs: [get, list, watch]
- apiGroups: [{{ .group | quote }}]
  resources:
    {{- range .resources }}
    - {{ . }}/scale
    {{- end }}
  verbs: [get, patch]
{{- end }}
{{- range .Values.customOwners }}
- apiGroups: [{{ .group | quote }}]
  resources: {{ .resources | toJson }}
  verbs: [get]
{{- end }}
- apiGroups: [metrics.k8s.io]
  resources: [pods]
  verbs: [get, list]
- apiGroups: [custom.metrics.k8s.io, external.metrics.k8s.io]
  resources: ["*"]
  verbs: [get, list]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
# To record why the cluster's own controller scaled.
- apiGroups: [""]
  resources: [events]
  verbs: [list, watch]
{{- if include "ballast.webhook" . }}
# To warn when maxReplicas would exceed a ResourceQuota.
- apiGroups: [""]
  resources: [resourcequotas]
  verbs: [list]
{{- end }}
{{- end }}

{{/* A webhook without its name. Arguments: root, step ("mutate" or "validate"), group, version, resource,
     failurePolicy, and a condition in CEL. */}}
{{- define "ballast.webhookRest" -}}
{{- $call := . }}
{{- with .root -}}
failurePolicy: {{ $call.failurePolicy }}
rules:
  - apiGroups: [{{ $call.group }}]
    apiVersions: [{{ $call.version }}]
    resources: [{{ $call.resource }}]
    operations: [CREATE, UPDATE]
    scope: Namespaced
admissionReviewVersions: [v1]
sideEffects: None
matchPolicy: Equivalent
timeoutSeconds: {{ .Values.webhook.timeoutSeconds }}
clientConfig:
  {{- with .Values.webhook.url }}
  url: {{ . }}/{{ $call.step }}
  {{- else }}
  service:
    name: {{ include "ballast.name" . }}-webhook
    namespace: {{ .Release.Namespace }}
    path: /{{ $call.step }}
    port: 443
  {{- end }}
namespaceSelector:
  matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values: [kube-system, {{ .Release.Namespace }}]
    {{- with .Values.operator.namespaces }}
    - key: kubernetes.io/metadata.name
      operator: In
      values: {{ toJson . }}
    {{- end }}
# Changes that leave the spec alone, and the end of a deletion, need no review.
matchConditions:
  - name: changes-the-spec
    expression: request.operation != 'UPDATE' || object.spec != oldObject.spec
  - name: is-not-being-deleted
    expression: "!has(object.metadata.deletionTimestamp)"
  {{- with $call.condition }}
  - name: {{ .name }}
    expression: {{ .expression | quote }}
  {{- end }}
{{- end }}
{{- end }}
