"""Ray with folders of its own, so that nothing of the user's is touched, and short names, which its sockets need."""
from __future__ import annotations

import os
import secrets
import shutil
import tempfile

import pytest

_FOLDER = tempfile.mkdtemp(prefix="carbo-ray-", dir="/tmp")
os.environ.update(
    HOME=_FOLDER,
    RAY_TMPDIR=_FOLDER,
    RAY_AUTH_MODE="token",
    RAY_AUTH_TOKEN=secrets.token_hex(32),
    RAY_USAGE_STATS_ENABLED="0",
    RAY_AIR_NEW_OUTPUT="0",
    RAY_DEDUP_LOGS="0",
    RAY_worker_niceness="0",
    RAY_ENABLE_UV_RUN_RUNTIME_ENV="0",
    TUNE_DISABLE_AUTO_CALLBACK_LOGGERS="1",
    TUNE_GLOBAL_CHECKPOINT_S="0",
)

ray = pytest.importorskip("ray")  # which reads these when it is imported


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    made = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 2, "resources": {"head": 4}, "include_dashboard": False}
    )
    ray.init(address=made.address, log_to_driver=False, logging_level="error")
    yield made
    ray.shutdown()
    made.shutdown()


def pytest_unconfigure() -> None:
    shutil.rmtree(_FOLDER, ignore_errors=True)
