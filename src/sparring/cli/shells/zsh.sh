#compdef sparring
# Completion of sparring for zsh. Once, into a folder of $fpath:
#   sparring completion zsh > ~/.zfunc/_sparring
_sparring() {
    local each name
    local -a found open
    while IFS= read -r each; do
        name="${${each%%$'\t'*}//:/\\:}:${each#*$'\t'}"
        if [[ "${each%%$'\t'*}" == *[:=/] ]]; then open+=("$name"); else found+=("$name"); fi
    done < <("${words[1]}" _complete "${(@)words[2,CURRENT]}" 2> /dev/null)
    if (( $#found + $#open )); then
        (( $#found )) && _describe sparring found
        (( $#open )) && _describe sparring open -S ''
    else
        _files
    fi
}
if [[ "$funcstack[1]" == _sparring ]]; then _sparring "$@"; else compdef _sparring sparring; fi
