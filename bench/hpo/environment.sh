# Sourced by collect and serve: a virtual environment with scikit-learn.
# shellcheck shell=bash
hpo=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../support/python_environment.sh
source "$hpo/../support/python_environment.sh"
use_environment "$hpo" "${CARBO_HPO_ENVIRONMENT:-$hpo/../../build/hpo-environment}"
