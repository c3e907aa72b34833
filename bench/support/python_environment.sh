# Sourced by programs with Python parts: a virtual environment of their own, installed the first time.
# shellcheck shell=bash

# use_environment FOLDER ENVIRONMENT: the modules of FOLDER with what FOLDER/requirements.txt lists. Of several that need
# it at once the first one installs, and the others wait. Fails where it cannot be installed.
use_environment() {
  modules=$1
  environment=$2
  if [[ ! -e "$environment/ready" ]]; then
    mkdir -p "$environment" || return
    (flock 9 && install_environment 9>&-) 9>"$environment/lock" || return
  fi
  # One thread, whatever library does the work.
  export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 PYTHONHASHSEED=0
}

install_environment() {
  [[ ! -e "$environment/ready" ]] || return 0
  echo "Installing what $modules/requirements.txt lists into $environment" >&2
  python3 -m venv "$environment" &&
    "$environment/bin/python" -m pip install --quiet --requirement "$modules/requirements.txt" >&2 &&
    touch "$environment/ready"
}

# run_module NAME [ARGUMENT]...: a module of the folder, in the caller's folder, which its relative paths are meant for.
run_module() {
  PYTHONPATH="$modules" PYTHONSAFEPATH=1 exec "$environment/bin/python" -m "$@"
}
