{{/* Refuses values that contradict each other, spans that are too short, and namespaces that are not there.
     What else is wrong with a value by itself, values.schema.json says. */}}
{{- define "ballast.checks" -}}
{{- $replicas := int (include "ballast.replicas" .) }}
{{- $several := gt $replicas 1 }}
{{- if and $several (not (include "ballast.electsLeader" .)) }}
{{- fail "replicas: more than one need operator.leaderElection.enabled" }}
{{- end }}
{{- if and $several (include "ballast.persists" .) ((.Values.store).persistence).existingClaim }}
{{- fail "store.persistence.existingClaim: is for one replica, because each needs a volume of its own" }}
{{- end }}
{{- if and (.Values.webhook).url (gt $replicas 0) }}
{{- fail "webhook.url: is for an operator outside the cluster; set replicas to 0, or leave the URL out" }}
{{- end }}
{{- $node := get (.Values.nodeSelector | default dict) "kubernetes.io/arch" }}
{{- with (.Values.image).architectures }}
{{- if and $node (not (has $node .)) }}
{{- fail (printf "nodeSelector: the image has nothing for kubernetes.io/arch %s; if it has, name it in image.architectures" $node) }}
{{- end }}
{{- end }}
{{- if and .Values.policyRules (not (include "ballast.on" (list .Values.webhook "enabled"))) }}
{{- fail "policyRules: need the webhook, which applies them; set webhook.enabled, or leave the rules out" }}
{{- end }}
{{- with (.Values.operator).maxViewAge }}
{{- if lt (int (include "ballast.seconds" .)) 80 }}
{{- fail (printf "operator.maxViewAge: %s is less than 80s" .) }}
{{- end }}
{{- end }}
{{- $served := (.Values.operator).namespaces }}
{{- range without ((.Values.operator).hpaTakeoverNamespaces | default list) "*" }}
{{- if and $served (not (has . $served)) }}
{{- fail (printf "operator.hpaTakeoverNamespaces: %s is not among operator.namespaces" .) }}
{{- end }}
{{- end }}
{{- /* Asks the cluster, where there is one (not with `helm template`). Who may not create roles for the
     whole cluster may not be allowed to read namespaces either, and is told by the API server. */}}
{{- if and (not $served) (lookup "v1" "Namespace" "" "kube-system") }}
{{- range without ((.Values.operator).hpaTakeoverNamespaces | default list) "*" | uniq }}
{{- if not (lookup "v1" "Namespace" "" .) }}
{{- fail (printf "operator.hpaTakeoverNamespaces: there is no namespace %s; create it first, or leave it out for now and add it with a later helm upgrade" .) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
