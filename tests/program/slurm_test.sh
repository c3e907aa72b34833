#!/usr/bin/env bash
# slurm_test.sh CARBO FOLDER [RUNS]: carbo run on Slurm itself: a controller and a node on this machine, studies in FOLDER. Tasks
# that fail, are cancelled, run out of time, lose their node or their controller; runners that are killed or stopped; a
# study that is started over. Each RUNS times (1 without it). Skipped (77) where Slurm is not installed (Debian: slurm-wlm, munge) or this is not root.
set -euo pipefail
carbo="$1" folder="$2" runs="${3:-1}"
for program in munged slurmctld slurmd sbatch squeue scancel scontrol sqlite3; do
  command -v "$program" >/dev/null 2>&1 || PATH=$PATH:/usr/sbin
  command -v "$program" >/dev/null 2>&1 || { echo "skipped: there is no $program here" && exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: daemons of Slurm are started as root" && exit 77; }
rm -rf "$folder" && mkdir -p "$folder/bin" && cd "$folder"
folder=$PWD host=$(hostname -s)
daemons=$(mktemp -d "${TMPDIR:-/tmp}/carbo_slurm_XXXXXX") # Slurm's configuration takes no path with a blank
mkdir "$daemons/state" "$daemons/spool"
port=$((20000 + $$ % 20000))
export SLURM_CONF=$daemons/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=carbo
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$daemons/munge.socket
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$daemons/state
SlurmdSpoolDir=$daemons/spool
SlurmctldPidFile=$daemons/slurmctld.pid
SlurmdPidFile=$daemons/slurmd.pid
SlurmctldLogFile=$daemons/slurmctld.log
SlurmdLogFile=$daemons/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MailProg=/bin/true
KillWait=1
MinJobAge=300
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
dd if=/dev/urandom of="$daemons/munge.key" bs=32 count=32 status=none && chmod 400 "$daemons/munge.key"
end() { # PID_FILE [SIGNAL]
  local process
  process=$(cat "$1" 2>/dev/null) || return 0
  kill "-${2:-TERM}" "$process" 2>/dev/null || return 0
  while kill -0 "$process" 2>/dev/null; do sleep 0.05; done
}
ended() { # of this script, however it ends
  scancel --user=root 2>/dev/null || true
  for daemon in slurmd slurmctld munged; do end "$daemons/$daemon.pid"; done
  rm -rf "$daemons"
}
trap ended EXIT
munged --force --key-file="$daemons/munge.key" --socket="$daemons/munge.socket" --pid-file="$daemons/munged.pid" \
  --log-file="$daemons/munged.log" --seed-file="$daemons/munge.seed"
controller() { slurmctld -f "$SLURM_CONF"; }
node() { slurmd -f "$SLURM_CONF"; }
controller
node

die() { # WORDS...
  echo "FAILED: $*" >&2
  { cat out.txt; squeue --states=all --array; tail -n 20 "$daemons/slurmctld.log"; } >&2 || true
  exit 1
}
until_true() { # SECONDS COMMAND...
  local until=$(($(date +%s) + $1))
  shift
  while ! "$@" 2>/dev/null; do
    [ "$(date +%s)" -lt "$until" ] || die "waited in vain for: $*"
    sleep 0.1
  done
}
idle() { [ "$(sinfo -h -o %t)" = idle ]; }
until_true 30 idle

# study NAME BUDGET LINES [SLURM_LINES]: whose evaluations note in `begun` that they begin, and wait for the file `go`
study() {
  mkdir "$folder/$1" && cd "$folder/$1"
  cat >study.toml <<END
budget = "$2"
workers = 3
launcher = "slurm"
acquisition = "random"
command = ["./evaluate", "{level}"]
$3
[slurm]
poll = "0.5s"
settle = "1s"
${4:-}
[parameters]
level = "1..500"
END
  cat >evaluate <<'END'
#!/bin/sh
echo $CARBO_ID >>begun
until [ -e go ]; do sleep 0.1; done
[ ! -e broken ] || { echo "it is broken" >&2; exit 3; }
echo "{\"objective\": $1}"
END
  chmod +x evaluate && touch begun
}
run() { "$carbo" run --plain study.toml >>out.txt 2>&1; }
run_ends_with() { # CODE
  local code=0
  run || code=$?
  is "exit code" "$1" $code
}
begun() { [ "$(sort -u begun | wc -l)" -ge "$1" ]; }
sql() { sqlite3 -readonly study.db "$1"; }
trials() { sql "select count(*) from trials where $1"; }
is() { # WHAT EXPECTED ACTUAL
  [ "$2" = "$3" ] || die "$1: expected $2, got $3"
}
# whole EVALUATIONS FAILED: every evaluation is in the study once, and nothing is left to be taken in
whole() {
  is "evaluations" "$1" "$(trials "state in ('succeeded', 'failed', 'timed_out')")"
  is "ids" "$1" "$(sql "select count(distinct id) from trials where state in ('succeeded', 'failed', 'timed_out')")"
  is "failures" "$2" "$(trials "state in ('failed', 'timed_out')")"
  is "pending" 0 "$(trials "state in ('running', 'waiting')")"
  is "spool" 0 "$(find study.runs/study/slurm/results -maxdepth 1 -name '*.json' | wc -l)"
}
once() { is "evaluations that began twice" 0 "$(sort begun | uniq -d | wc -l)"; }
task_of_first() { squeue -h -r -t running -o '%F_%K' | head -n 1; }

fails() {
  study fails "6 evaluations" "" && touch go broken
  run_ends_with 8
  whole "$(trials "state = 'failed'")" "$(trials "state = 'failed'")"
  is "reason" "exit code 3: it is broken" "$(sql "select distinct reason from trials where state = 'failed'")"
  rm broken && sed -i 's/^budget.*/budget = "12 evaluations"/' study.toml
  run || die "exit code $?"
  once
}

cancelled() { # again or charged
  study "cancelled_$1" "6 evaluations" "$([ "$1" = again ] || echo "charge_interrupted = true")"
  run & local runner=$!
  until_true 30 begun 3
  scancel "$(task_of_first)"
  sleep 1
  touch go
  wait $runner || die "exit code $?"
  whole 6 "$([ "$1" = again ] && echo 0 || echo 1)"
  [ "$1" = again ] || is "reason" 1 "$(trials "reason like '%CANCELLED%'")"
}

node_dies() {
  study node_dies "6 evaluations" ""
  run & local runner=$!
  until_true 30 begun 3
  end "$daemons/slurmd.pid" KILL
  scontrol update nodename="$host" state=down reason=test
  until_true 30 grep -q NODE_FAIL out.txt
  touch go # those of the lost node go on, and their results may come yet
  node
  until_true 30 idle_or_busy
  wait $runner || die "exit code $?"
  whole 6 0
}
idle_or_busy() { case $(sinfo -h -o %t) in idle | mix | alloc) ;; *) scontrol update nodename="$host" state=resume && false ;; esac; }

controller_ends() { # by TERM or KILL, once Slurm has saved that the tasks run
  study "controller_ends_$1" "6 evaluations" ""
  run & local runner=$!
  until_true 30 begun 3
  until_true 30 test "$daemons/state/job_state" -nt begun
  end "$daemons"/slurmctld.pid "$1"
  sleep 2
  touch go
  sleep 1
  controller
  wait $runner || die "exit code $?"
  whole 6 0
  once
}

runner_killed() {
  study runner_killed "6 evaluations" ""
  "$carbo" run --plain study.toml >>out.txt 2>&1 & local runner=$!
  until_true 30 begun 3
  kill -KILL $runner
  wait $runner || true
  run & runner=$!
  sleep 1
  touch go
  wait $runner || die "exit code $?"
  whole 6 0
  once
}

stopped() { # leave or cancel
  study "stopped_$1" "6 evaluations" "" "stopped = \"$1\""
  "$carbo" run --plain study.toml >>out.txt 2>&1 & local runner=$!
  until_true 30 begun 3
  kill -INT $runner && sleep 0.3 && kill -INT $runner
  local code=0
  wait $runner || code=$?
  is "exit code" 130 $code
  if [ "$1" = cancel ]; then
    until_true 10 none_queued
    touch go
  else
    is "tasks that go on" 3 "$(squeue -h -r -t running | wc -l)"
    touch go
    until_true 10 dropped 3
  fi
  run || die "exit code $?"
  whole 6 0
  [ "$1" = cancel ] || once
}
none_queued() { [ -z "$(squeue -h -r -t pending,running,completing)" ]; }
dropped() { [ "$(find study.runs/study/slurm/results -maxdepth 1 -name '*.json' | wc -l)" = "$1" ]; }

started_over() { # while tasks of the study before are in the queue
  study started_over "6 evaluations" "seed = 1"
  "$carbo" run --plain study.toml >>out.txt 2>&1 & local runner=$!
  until_true 30 begun 3
  kill -KILL $runner
  wait $runner || true
  rm study.db* && sed -i 's/^seed.*/seed = 2/' study.toml
  run & runner=$!
  sleep 1
  touch go
  wait $runner || die "exit code $?"
  grep -q "belong to another study and are left alone" out.txt || die "no word of the study before"
  is "evaluations" 6 "$(trials "state = 'succeeded'")"
  is "results of other points" 0 "$(sql "select count(*) from trials join trial_values using (trial) where objective <> value")"
  is "results of the study before" 3 "$(find study.runs/study/slurm/results -maxdepth 1 -name 'b000001-*.json' | wc -l)"
}

refused() {
  study refused "6 evaluations" "" 'options = ["--partition=nowhere"]' && touch go
  run_ends_with 1
  grep -q "sbatch refuses the tasks: .*partition" out.txt || die "no word of the partition"
  is "spent" 0 "$(trials "state in ('succeeded', 'failed')")"
}

out_of_time() {
  study out_of_time "1 evaluations" "" 'options = ["--time=1"]'
  run_ends_with 8
  whole 1 1
  is "cut off" 1 "$(trials "state = 'timed_out' and cost > 50 and cost < 120 and reason like '%TIMEOUT%'")"
}

for i in $(seq "$runs"); do
  for one in fails "cancelled again" "cancelled charged" node_dies "controller_ends TERM" "controller_ends KILL" runner_killed \
    "stopped leave" "stopped cancel" started_over refused; do
    begin=$(date +%s)
    $one
    echo "run $i, $one: $(($(date +%s) - begin)) s"
    cd "$folder" && rm -rf "${one/ /_}"
  done
done
out_of_time # a minute is the least that Slurm knows: once
echo "all is well"
