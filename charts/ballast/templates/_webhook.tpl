{{/* A webhook without its name. Arguments: root, step ("mutate" or "validate"), group, version, resource,
     failurePolicy, and a condition in CEL. */}}
{{- define "ballast.webhookRest" -}}
{{- $webhook := .root.Values.webhook | default dict }}
{{- $own := .root.Release.Namespace -}}
{{ include "ballast.field" (list "failurePolicy" .failurePolicy) }}
rules:
  - apiGroups: [{{ .group }}]
    apiVersions: [{{ .version }}]
    resources: [{{ .resource }}]
    operations: [CREATE, UPDATE]
    scope: Namespaced
admissionReviewVersions: [v1]
sideEffects: None
matchPolicy: Equivalent
{{ include "ballast.field" (list "timeoutSeconds" $webhook.timeoutSeconds) }}
clientConfig:
  {{- with $webhook.url }}
  url: {{ . }}/{{ $.step }}
  {{- else }}
  service:
    name: {{ include "ballast.name" .root }}-webhook
    namespace: {{ $own }}
    path: /{{ .step }}
    port: 443
  {{- end }}
namespaceSelector:
  {{- with ($webhook.namespaceSelector | default dict).matchLabels }}
  matchLabels: {{- toYaml . | nindent 4 }}
  {{- end }}
  matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values: {{ concat (list "kube-system" $own) ($webhook.excludedNamespaces | default list) | uniq | toJson }}
    {{- with uniq ((.root.Values.operator).namespaces | default list) }}
    - key: kubernetes.io/metadata.name
      operator: In
      values: {{ toJson . }}
    {{- end }}
    {{- with ($webhook.namespaceSelector | default dict).matchExpressions }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- with $webhook.objectSelector }}
objectSelector: {{- toYaml . | nindent 2 }}
{{- end }}
# Changes that leave the spec alone, and the end of a deletion, need no review.
matchConditions:
  - name: changes-the-spec
    expression: request.operation != 'UPDATE' || object.spec != oldObject.spec
  - name: is-not-being-deleted
    expression: "!has(object.metadata.deletionTimestamp)"
  {{- with .condition }}
  - name: {{ .name }}
    expression: {{ .expression | quote }}
  {{- end }}
  {{- with $webhook.matchConditions }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
