# Completion of sparring for fish. Once:
#   sparring completion fish > ~/.config/fish/completions/sparring.fish
function __sparring_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found ($words[1] _complete $words[2..-1] "$current" 2> /dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c sparring -f -a '(__sparring_complete)'
