{{/* Called with the text of a label selector; renders its requirements as `matchExpressions`. Requirements that these cannot express (`a>1`) are left out: then the webhook is called more often than needed, and the reconciler selects. */}}
{{- define "reroll.requirements" -}}
{{- $requirements := list -}}
{{- range regexFindAll "[^,(]+(\\([^)]*\\))?" . -1 -}}
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
