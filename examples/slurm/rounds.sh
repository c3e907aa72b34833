#!/bin/bash
# Rounds of a job array until the study is over. rounds.sh STUDY TASKS
set -eu
study=$1 tasks=$2 here=$(dirname "$0")
mkdir -p rounds
while :; do
  round=$(mktemp -d rounds/XXXXXX)
  mkdir "$round/results"
  carbo ask "$study" -n "$tasks" --json > "$round/suggestions.json" || { [ $? -eq 7 ] && break; exit 1; }
  count=$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["suggestions"]))' "$round/suggestions.json")
  sbatch --wait --array="0-$((count - 1))" "$here/task.sh" "$round"
  carbo tell "$study" --spool "$round/results"
done
carbo best "$study"
