#!/bin/bash
# One task of the array: evaluates suggestion SLURM_ARRAY_TASK_ID of the round and drops its result.
# task.sh ROUND, a folder with suggestions.json and results/
#SBATCH --time=00:30:00
set -eu
round=$1 task=$SLURM_ARRAY_TASK_ID
values=$(python3 - "$round/suggestions.json" "$task" <<'END'
import json, sys
one = json.load(open(sys.argv[1]))["suggestions"][int(sys.argv[2])]
print(one["id"], one["configuration"]["rate"], one["configuration"]["layers"])
END
)
read -r id rate layers <<< "$values"
begin=$(date +%s.%N)
if objective=$("${TRAIN:-./train.sh}" "$rate" "$layers"); then
  result="\"objective\": $objective"
else
  result="\"failed\": \"exit code $?\""
fi
cost=$(awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
# Under another name first: whoever looks into the folder sees a whole result or none.
part=$round/results/$id.json.part
echo "{\"id\": $id, $result, \"cost\": $cost}" > "$part"
mv "$part" "$round/results/$id.json"
