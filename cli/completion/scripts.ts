/** The script with which a shell completes `slipway`. It calls the command itself, so it never gets outdated. */
// prettier-ignore
const SCRIPTS = {
  bash: String.raw`_slipway() {
  local line out
  out=$(slipway __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=()
  if [ "$out" = ":files" ]; then compopt -o default; return; fi
  while IFS= read -r line; do
    line=\${line%%$'\t'*}
    [[ -n $line && $line == "\${COMP_WORDS[COMP_CWORD]}"* ]] && COMPREPLY+=("$line")
  done <<< "$out"
}
complete -F _slipway slipway`,

  zsh: String.raw`#compdef slipway
_slipway() {
  local -a lines described
  lines=("\${(@f)$(slipway __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines[1] == ":files" ]]; then _files; return; fi
  described=("\${(@)lines//:/\\:}")
  described=("\${(@)described//$'\t'/:}")
  _describe slipway described
}
compdef _slipway slipway`,

  fish: String.raw`function __slipway_complete
  set -l out (slipway __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if test "$out" = ":files"
    __fish_complete_path (commandline -ct)
  else
    printf '%s\n' $out
  end
end
complete -c slipway -f -a '(__slipway_complete)'`,
} as const;
export type Shell = keyof typeof SCRIPTS;
export const SHELLS = Object.keys(SCRIPTS) as Shell[];

// A template keeps the backslash that tells the shell's own braces from those of JavaScript.
export const completionScript = (shell: Shell): string => SCRIPTS[shell].replaceAll('\\${', '${');
