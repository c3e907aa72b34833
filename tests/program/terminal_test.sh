#!/usr/bin/env bash
# terminal_test.sh CARBO FOLDER: carbo run in a real terminal (tmux): what it shows, after a resize, without colours, in a
# locale without UTF-8, and what Ctrl-C does, once and twice; and the bar of carbo replay. Skipped (77) where there is no
# tmux.
set -euo pipefail
carbo="$1" folder="$2"
command -v tmux >/dev/null 2>&1 || { echo "skipped: there is no tmux here" && exit 77; }
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder"
tmux() { command tmux -L "carbo_test_$$" -f /dev/null "$@"; }
trap 'tmux kill-server 2>/dev/null || true' EXIT

ln -s "$carbo" carbo  # its folder may have a blank in its name

cat >evaluate <<'END'
#!/bin/sh
echo $$ >>pids
sleep 0.4
[ "$1" != 3 ] || { echo "three is not liked" >&2; exit 1; }
echo "{\"objective\": $1}"
END
chmod +x evaluate
cat >study.toml <<'END'
name = "shown"
budget = "40 evaluations"
workers = 3
acquisition = "random"
command = ["./evaluate", "{level}"]
parameters.level = "1..500"
END

# in_terminal NAME COMMAND...: in a terminal of 100 × 20, whose last words are the exit code
in_terminal() {
  local name="$1"
  shift
  tmux new-session -d -s "$name" -x 100 -y 20 "env $* ; echo \"ended with \$?\"; sleep 60"
}
shown() { tmux capture-pane -p -t "$1" ${2:+"$2"}; }
# until_shown NAME PATTERN [FLAG]: at most ten seconds
until_shown() {
  for _ in $(seq 100); do
    ! shown "$1" "${3:-}" | grep -q -- "$2" || return 0
    sleep 0.1
  done
  printf 'expected "%s" in:\n%s\n' "$2" "$(shown "$1")" >&2
  exit 1
}
never_shown() { # NAME PATTERN [FLAG]
  ! shown "$1" "${3:-}" | grep -q -- "$2" || { printf 'did not expect "%s" in:\n%s\n' "$2" "$(shown "$1")" >&2 && exit 1; }
}

in_terminal live LC_ALL=C.UTF-8 TERM=screen-256color ./carbo run study.toml
until_shown live '^shown  .* evaluated, 3 running'
until_shown live '^budget  [█░]*  *[0-9]* %  [0-9]* of 40 evaluations  .* left$'
until_shown live '^best    [0-9]* .*[▁█].*level='
until_shown live '^#2  *[0-9][0-9]* .* s  level=[0-9]'
until_shown live $'\x1b\\[' -e # colours
# One picture at a time, also after the terminal has become narrower and wider again.
for columns in 50 120; do
  tmux resize-window -t live -x "$columns" -y 12
  sleep 0.8
  (($(shown live | grep -c '^budget') == 1)) || { echo "after a resize to $columns:" && shown live; exit 1; } >&2
done
sed -i 's/sleep 0.4/sleep 2/' evaluate
sleep 1
tmux send-keys -t live C-c
until_shown live 'finishing what runs; Ctrl-C again ends it'
until_shown live 'saved in shown.db, carbo run goes on'
until_shown live 'ended with 130'
never_shown live 'finishing what runs'

in_terminal plain LC_ALL=C NO_COLOR=1 TERM=screen ./carbo run study.toml
until_shown plain '^budget  [#.]* '
never_shown plain '[^ -~]'
never_shown plain $'\x1b\\[3' -e
sed -i 's/sleep 2/sleep 30/' evaluate
sleep 3
tmux send-keys -t plain C-c
until_shown plain 'finishing what runs'
tmux send-keys -t plain C-c
until_shown plain 'ended with 130'
while read -r pid; do
  ! kill -0 "$pid" 2>/dev/null || { echo "a child is left" >&2 && exit 1; }
done <pids

sed -i 's/sleep 30/sleep 0.05/' evaluate
in_terminal rest LC_ALL=C.UTF-8 TERM=screen ./carbo run study.toml
until_shown rest 'ended with 0'
until_shown rest '^best: [0-9]* '

echo 'x,n,objective,cost' >table.csv
for ((i = 0; i < 120; ++i)); do echo "$i,$((i * 7 % 11)),$((i * 37 % 101)),$((1 + i % 5))"; done >>table.csv
in_terminal replay LC_ALL=C.UTF-8 TERM=screen ./carbo replay table.csv --parameters x,n --seeds 100000 --methods random,ei
until_shown replay '^\[=*>  *\] [0-9]* % [0-9]* of 200000 runs, .* left'
tmux send-keys -t replay C-c
until_shown replay 'runs are kept in table.replay, and the same command goes on'
until_shown replay 'ended with 130'
echo "seen in a terminal: display, resize, Ctrl-C once and twice, no colours, no UTF-8; the bar of a replay"
