#!/usr/bin/env bash
# check_compressor.sh CARBO FOLDER: the compressor study on less data with less of a budget, in FOLDER; the other study
# files are checked.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
carbo="$1" folder="$2"
rm -rf "$folder" && cp -r "$here/compressor" "$folder" && cd "$folder"
./make_data 131072
"$carbo" run --plain --set 'budget="0.02 CPUmin"' study.toml
./compare "$carbo" | tee compared
grep -q 'compared: identical' compared
for study in "$here"/{compressor,gcc_flags,mlp}/study.toml; do
  "$carbo" check "$study"
  (($(wc -l <"$study") < 15)) || { echo "$study has 15 lines or more" >&2 && exit 1; }
done
