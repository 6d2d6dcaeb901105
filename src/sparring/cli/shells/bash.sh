# Completion of sparring for bash. Once:
#   sparring completion bash > ~/.local/share/bash-completion/completions/sparring
_sparring() {
    local line="${COMP_LINE:0:$COMP_POINT}" word each quoted cut
    local -a words
    read -ra words <<< "$line"
    [[ "$line" == *[[:space:]] ]] && words+=("")
    word="${words[${#words[@]}-1]}"
    cut="${word%"${word##*[:=]}"}"  # bash takes what follows a colon or an equals sign for a word of its own
    COMPREPLY=()
    while IFS=$'\t' read -r each _; do
        [[ "$each" == *[:=/] ]] && type compopt > /dev/null 2>&1 && compopt -o nospace
        printf -v quoted '%q' "${each#"$cut"}"
        COMPREPLY+=("$quoted")
    done < <("${words[0]}" _complete "${words[@]:1}" 2> /dev/null)
}
complete -o default -o bashdefault -F _sparring sparring
