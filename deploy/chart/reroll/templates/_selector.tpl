{{/* Called with the name of a value and its text, a label selector as the flags read it; renders its requirements as `matchExpressions`. Requirements that these cannot express (`a>1`) are left out: then the webhook is called more often than needed, and the reconciler selects. */}}
{{- define "reroll.requirements" -}}
{{- $terms := list -}}
{{- /* Reloader's older forms, as in legacy-selector.ts. */ -}}
{{- range splitList "," .text -}}
{{- $any := regexReplaceAll "^\\s*([^\\s:=!(),<>]+)\\s*(:\\s*\\*\\s*(:.*)?|=\\s*\\*\\s*)$" . "${1}" -}}
{{- $terms = append $terms (regexReplaceAll "^\\s*([^\\s:=!(),<>]+)\\s*:\\s*([^:=]*?)\\s*(:.*)?$" $any "${1}=${2}") -}}
{{- end -}}
{{- $text := join "," $terms -}}
{{- /* The grammar of selector.ts. */ -}}
{{- $label := "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?" -}}
{{- $key := printf "([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?%s" $label -}}
{{- $values := printf "\\(\\s*(%[1]s|(%[1]s)?(\\s*,\\s*(%[1]s)?)+)\\s*\\)" $label -}}
{{- $requirement := printf "(!\\s*%[1]s|%[1]s(\\s*(==?|!=)\\s*(%[2]s)?|\\s+(in|notin)\\s*%[3]s|\\s*[<>]\\s*[0-9]{1,63})?)" $key $label $values -}}
{{- $isSelector := regexMatch (printf "^\\s*(%[1]s(\\s*,\\s*%[1]s)*)?\\s*$" $requirement) $text -}}
{{- range regexFindAll "[<>]\\s*[0-9]+" $text -1 -}}
{{- $bound := regexFind "[1-9][0-9]*" . | default "0" -}}
{{- if ne (int64 $bound | toString) $bound -}}{{- $isSelector = false -}}{{- end -}}
{{- end -}}
{{- if not $isSelector -}}
{{- fail (printf "%s=%q is not a label selector. Accepted are env=prod, env!=prod, env in (prod,test), env notin (test), env, !env, size>1 and size<9, separated by commas, and Reloader's older env:prod and env:*" .name .text) -}}
{{- end -}}
{{- $requirements := list -}}
{{- range regexFindAll "[^,(]+(\\([^)]*\\))?" $text -1 -}}
{{- $text := trim . -}}
{{- $key := regexFind "^!?\\s*[^!=<>()\\s]+" $text -}}
{{- $rest := trimPrefix $key $text | trim -}}
{{- $values := list -}}
{{- range splitList "," (regexReplaceAll "^(in|notin|==|=|!=)\\s*\\(?|\\)$" $rest "") -}}{{- $values = append $values (trim .) -}}{{- end -}}
{{- if hasPrefix "!" $key -}}
{{- $requirements = append $requirements (dict "key" (trimPrefix "!" $key | trim) "operator" "DoesNotExist") -}}
{{- else if and $key (not $rest) -}}
{{- $requirements = append $requirements (dict "key" $key "operator" "Exists") -}}
{{- else if regexMatch "^(in\\s*\\(|=)" $rest -}}
{{- $requirements = append $requirements (dict "key" $key "operator" "In" "values" $values) -}}
{{- else if regexMatch "^(notin\\s*\\(|!=)" $rest -}}
{{- $requirements = append $requirements (dict "key" $key "operator" "NotIn" "values" $values) -}}
{{- end -}}
{{- end -}}
{{- toYaml $requirements -}}
{{- end }}

{{/* Requirements of the namespaces that are watched; none if they are named one by one. */}}
{{- define "reroll.namespaceRequirements" -}}
{{- $r := .Values.reloader -}}
{{- include "reroll.requirements" (dict "name" "reloader.namespaceSelector" "text" ($r.watchGlobally | ternary ($r.namespaceSelector | default "") "")) -}}
{{- end }}

{{/* Requirements of the ConfigMaps and Secrets that are watched. */}}
{{- define "reroll.sourceRequirements" -}}
{{- include "reroll.requirements" (dict "name" "reloader.resourceLabelSelector" "text" (.Values.reloader.resourceLabelSelector | default "")) -}}
{{- end }}
