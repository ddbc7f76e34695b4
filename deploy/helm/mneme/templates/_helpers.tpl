{{- define "mneme.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "mneme.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mneme.labels" -}}
{{ include "mneme.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "mneme.image" -}}
{{- with .Values.image }}{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}{{ end }}
{{- end }}

{{- define "mneme.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary (include "mneme.name" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{/* Whether several servers may run at once. */}}
{{- define "mneme.isReplicated" -}}
{{- if eq .Values.mode "postgres" }}true{{ end }}
{{- end }}

{{/* Whether sessions are in Redis. */}}
{{- define "mneme.hasRedis" -}}
{{- if .Values.redis.urlSecret }}true{{ end }}
{{- end }}

{{/* Values that are right each on its own and wrong together: refused, with their names. */}}
{{- define "mneme.validate" -}}
{{- with .Values }}
{{- if not (or .auth.insecure .auth.tokensSecret .auth.apiKeysSecret .settings.jwtKeys .tls.clientCa) }}
{{- fail "auth.tokensSecret: expected the name of a Secret with tokens, or auth.apiKeysSecret, settings.jwtKeys, tls.clientCa: true, or auth.insecure: true to serve without credentials" }}
{{- end }}
{{- if not (or .auth.insecure .tls.secret .tls.byMesh) }}
{{- fail "tls.secret: expected the name of a Secret of type kubernetes.io/tls, or tls.byMesh: true where a service mesh encrypts, or auth.insecure: true" }}
{{- end }}
{{- if and .tls.clientCa (not .tls.secret) }}
{{- fail "tls.clientCa: requires tls.secret" }}
{{- end }}
{{- if and (eq .mode "postgres") (not .postgres.urlSecret) }}
{{- fail "postgres.urlSecret: expected the name of a Secret, because mode is postgres" }}
{{- end }}
{{- if and (not (include "mneme.isReplicated" $)) (gt (int .replicas) 1) }}
{{- fail (printf "replicas: expected at most 1 because mode is %s, got %d" .mode (int .replicas)) }}
{{- end }}
{{- if and .autoscaling.enabled (not (include "mneme.isReplicated" $)) }}
{{- fail (printf "autoscaling.enabled: expected false because mode is %s" .mode) }}
{{- end }}
{{- if and .autoscaling.enabled (gt (int .autoscaling.minReplicas) (int .autoscaling.maxReplicas)) }}
{{- fail "autoscaling.minReplicas: expected at most autoscaling.maxReplicas" }}
{{- end }}
{{- if and .autoscaling.enabled (not .metrics.enabled) }}
{{- fail "autoscaling.enabled: requires metrics.enabled" }}
{{- end }}
{{- if and .metrics.serviceMonitor.enabled (not .metrics.enabled) }}
{{- fail "metrics.serviceMonitor.enabled: requires metrics.enabled" }}
{{- end }}
{{- if and .metrics.tls.secret (not .metrics.enabled) }}
{{- fail "metrics.tls.secret: requires metrics.enabled" }}
{{- end }}
{{- if and .metrics.tokenSecret (not .metrics.enabled) }}
{{- fail "metrics.tokenSecret: requires metrics.enabled" }}
{{- end }}
{{- end }}
{{- end }}

{{/* Value of a variable as text. Numbers of values are floating: without this, 4194304 would be 4.194304e+06. */}}
{{- define "mneme.text" -}}
{{- if kindIs "float64" . }}{{ if eq . (floor .) }}{{ printf "%.0f" . }}{{ else }}{{ . }}{{ end }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{/* Seconds from SIGTERM to SIGKILL: proxies leave, calls in flight finish, files of recall are saved, stores are closed. */}}
{{- define "mneme.graceSeconds" -}}
{{- $stopMs := add (int64 .Values.settings.drainWaitMs) (int64 .Values.settings.shutdownGraceMs) }}
{{- add (ceil (divf $stopMs 1000.0)) 20 }}
{{- end }}
