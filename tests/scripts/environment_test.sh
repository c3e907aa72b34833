#!/usr/bin/env bash
# environment_test.sh PART FOLDER: bench/support/python_environment.sh, PART, with a stand-in for Python: of three that
# need an environment at once one installs it, and what cannot be installed is never taken as ready.
set -euo pipefail
part="$1" folder="$2"
export CALLS="$folder/calls"

rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/modules"
cat >"$folder/bin/python3" <<'END'
#!/bin/sh
case "$*" in
  *'-m venv'*) for last; do :; done && mkdir -p "$last/bin" && cp "$0" "$last/bin/python" ;;
  *'pip install'*) echo installed >>"$CALLS" && sleep 0.3 && ! grep -q missing "$MODULES/requirements.txt" ;;
esac
END
chmod +x "$folder/bin/python3"
export PATH="$folder/bin:$PATH" MODULES="$folder/modules"
use() { # ENVIRONMENT, which is said to be ready where it is
  bash -euo pipefail -c 'source "$0" && use_environment "$MODULES" "$1" && [[ -e $1/ready ]] && echo ready' "$part" "$1" 2>&1
}
fail() {
  echo "environment_test.sh: $1" >&2
  exit 1
}

echo six >"$MODULES/requirements.txt"
for one in 1 2 3; do use "$folder/shared" >"$folder/said.$one" & done
wait
[[ $(cat "$folder"/said.* | grep -c '^ready$') == 3 ]] || fail "not all three have it: $(cat "$folder"/said.*)"
[[ $(wc -l <"$CALLS") == 1 ]] || fail "it was installed $(wc -l <"$CALLS") times"

echo missing >"$MODULES/requirements.txt"
! use "$folder/none" >/dev/null || fail "what could not be installed was used"
bash -euo pipefail -c 'source "$0"; ! (use_environment "$MODULES" "$1")' "$part" "$folder/none" 2>/dev/null ||
  fail "a caller that asks whether it can be had was told that it can"
[[ ! -e $folder/none/ready ]] || fail "what could not be installed is said to be ready"
