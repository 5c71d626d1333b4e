/** The shells that commands are completed in. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/**
 * Each script asks `reroll __complete` with the words that are typed. The answer has a line for each candidate, with a
 * description behind a tab, and a last line `:N`: 2 is for no space behind the word, 4 for no names of files.
 */
export const shellScripts: Readonly<Record<Shell, string>> = {
  // Also for bash 3.2, which macOS has. At `=`, `:` and `@`, bash begins another word: names of contexts have them.
  bash: `# Completion of reroll. Load it with: source <(reroll completion bash)
_reroll_complete() {
  local words=() word line directive=0 previous=
  local index
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ \${#words[@]} -gt 0 && ($word =~ ^[=:@]+$ || $previous =~ ^[=:@]+$) ]]; then
      words[\${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    previous=$word
  done
  local typed=\${words[\${#words[@]} - 1]} prefix= mark before
  for mark in = : @; do
    before=\${typed%"\${typed##*$mark}"}
    if [[ $COMP_WORDBREAKS == *$mark* && \${#before} -gt \${#prefix} ]]; then prefix=$before; fi
  done
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line =~ ^:[0-9]+$ ]]; then
      directive=\${line#:}
    else
      line=\${line%%$'\\t'*}
      COMPREPLY+=("\${line#"$prefix"}")
    fi
  done < <("\${1/#\\~/$HOME}" __complete "\${words[@]}" 2>/dev/null)
  if ((directive & 2)); then compopt -o nospace 2>/dev/null; fi
  if ((directive & 4)); then compopt +o default 2>/dev/null; fi
}
complete -o default -F _reroll_complete reroll
`,
  zsh: `#compdef reroll
# Completion of reroll. Load it with: source <(reroll completion zsh)
_reroll() {
  local -a lines values shown
  local line directive=0 tab=$'\\t'
  lines=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "\${lines[@]}"; do
    if [[ $line == :<-> ]]; then
      directive=\${line#:}
    elif [[ -n $line ]]; then
      values+=("\${line%%$tab*}")
      shown+=("\${line/$tab/  -- }")
    fi
  done
  local -a space
  if ((directive & 2)); then space=(-S ''); fi
  if ((\${#values})); then
    compadd -l -d shown "\${space[@]}" -a -- values
  elif ! ((directive & 4)); then
    _files
  fi
}
if [[ \${funcstack[1]} == _reroll ]]; then
  _reroll "$@"
else
  compdef _reroll reroll
fi
`,
  fish: `# Completion of reroll. Load it with: reroll completion fish | source
function __reroll_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l typed (commandline -ct)
    for line in ($program __complete $words "$typed" 2>/dev/null)
        if string match -qr '^:[0-9]+$' -- $line
            set -l directive (string sub -s 2 -- $line)
            if test (math "floor($directive / 4) % 2") -eq 0
                __fish_complete_path "$typed"
            end
        else
            echo $line
        end
    end
end
complete -c reroll -f -a '(__reroll_complete)'
`,
  powershell: `# Completion of reroll. Load it with: reroll completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'reroll' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $elements = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition })
    $words = @($elements | Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
    if ($wordToComplete -eq '') {
        # Older versions do not pass an empty argument to a program.
        $words += if ($PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { '' }
    }
    & $elements[0].Extent.Text __complete @words 2>$null | Where-Object { $_ -notmatch '^:\\d+$' } | ForEach-Object {
        $value, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
}
`,
};
