# Sourced by collect and serve: a virtual environment with scikit-learn, installed the first time.
# shellcheck shell=bash
hpo=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
environment=${CARBO_HPO_ENVIRONMENT:-$hpo/../../build/hpo-environment}
if [[ ! -e "$environment/ready" ]]; then
  echo "Installing scikit-learn into $environment" >&2
  python3 -m venv "$environment"
  "$environment/bin/python" -m pip install --quiet --requirement "$hpo/requirements.txt" >&2
  touch "$environment/ready"
fi
# One thread, whatever library does the work.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 PYTHONHASHSEED=0

# run_module NAME [ARGUMENT]...: a module of this folder, in the caller's folder, which its relative paths are meant for.
run_module() {
  PYTHONPATH="$hpo" PYTHONSAFEPATH=1 exec "$environment/bin/python" -m "$@"
}
