"""The files for Ray and Kubernetes are what these programs take, and name what there is."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from honeyguide.settings import SETTINGS_BY_KEY

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "examples" / "cluster"
PAGE = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")


def documents(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((FOLDER / name).read_text(encoding="utf-8")))


def job() -> dict[str, Any]:
    (found,) = (each for each in documents("kuberay.yaml") if each["kind"] == "RayJob")
    return found


def pods() -> list[dict[str, Any]]:
    cluster = job()["spec"]["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    return [group["template"]["spec"] for group in groups]


def commands_shown() -> list[list[str]]:
    """Every honeyguide command of the page and the examples."""
    lines = [line for block in re.findall(r"```bash\n(.*?)```", PAGE, flags=re.DOTALL) for line in block.splitlines()]
    shown = [shlex.split(line, comments=True) for line in lines]
    return [job()["spec"]["entrypoint"].split(), *(words for words in shown if words[:1] == ["honeyguide"])]


# TODO: remove the condition when `crawl --cluster` is in.
with_the_command = pytest.mark.skipif("--cluster" not in COMMANDS, reason="crawl has no --cluster yet")


@with_the_command
def test_every_command_and_option_exists() -> None:
    assert len(commands_shown()) > 3
    for words in commands_shown():
        assert f"## honeyguide {words[1]}" in COMMANDS, words
        for option in (word for word in words if word.startswith("--")):
            assert f"`{option}" in COMMANDS or option in COMMANDS, option


@with_the_command
def test_every_setting_that_the_page_names_exists() -> None:
    named = set(re.findall(r"`(?:--set )?(cluster\.[a-z_]+)(?:=\d+)?`", PAGE)) - {"cluster.json"}
    assert named
    assert named <= SETTINGS_BY_KEY.keys()


def test_every_file_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"examples/cluster/[a-z.A-Z]+", PAGE))
    assert {ROOT / name for name in named} == set(FOLDER.iterdir())


def test_one_version_of_ray_everywhere() -> None:
    version = job()["spec"]["rayClusterSpec"]["rayVersion"]
    texts = [file.read_text(encoding="utf-8") for file in FOLDER.iterdir()] + [PAGE]
    found = {each for text in texts for each in re.findall(r"(?:ray:|ray\[default\]==)([\d.]+\d)", text)}
    assert found == {version}


def test_every_pod_has_the_run_folder_on_a_volume_that_all_of_them_see() -> None:
    (claim,) = (each for each in documents("kuberay.yaml") if each["kind"] == "PersistentVolumeClaim")
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    run = Path(job()["spec"]["entrypoint"].split()[2])
    for pod in pods():
        (container,) = pod["containers"]
        (volume,) = pod["volumes"]
        assert volume["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
        assert container["volumeMounts"] == [{"name": volume["name"], "mountPath": str(run.parent)}]


def test_the_job_has_the_fields_of_kuberay() -> None:
    assert job()["apiVersion"] == "ray.io/v1"
    spec = job()["spec"]
    assert spec.keys() == {"entrypoint", "shutdownAfterJobFinishes", "ttlSecondsAfterFinished", "rayClusterSpec"}
    (workers,) = spec["rayClusterSpec"]["workerGroupSpecs"]
    assert workers["minReplicas"] <= workers["replicas"] <= workers["maxReplicas"]
    for group in (spec["rayClusterSpec"]["headGroupSpec"], workers):
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())  # as Kubernetes wants them
    images = {container["image"] for pod in pods() for container in pod["containers"]}
    assert images == set(re.findall(r"docker push (\S+)", PAGE))


def test_the_servers_are_described_as_ray_up_takes_them() -> None:
    (servers,) = documents("servers.yaml")
    assert servers["max_workers"] == len(servers["provider"]["worker_ips"])
    util = pytest.importorskip("ray.autoscaler._private.util")
    util.validate_config(util.prepare_config(servers))


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (
            ["/runs/a", "--topic", "old maps", "--budget", "9"],
            "crawl /runs/a --cluster auto --topic old maps --budget 9",
        ),
        (["/runs/a"], "resume /runs/a --cluster auto"),
    ],
)
def test_the_script_submits_a_crawl_or_resumes_one(tmp_path: Path, arguments: list[str], command: str) -> None:
    ray = tmp_path / "ray"
    ray.write_text('#!/bin/sh\necho "$RAY_API_SERVER_ADDRESS $@"\n')
    ray.chmod(0o755)
    done = subprocess.run(
        ["sh", str(FOLDER / "submit.sh"), *arguments],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.fullmatch(
        r"(\S+) job submit --no-wait --submission-id honeyguide-a-\d+ -- honeyguide (.*)\n", done.stdout
    )
    assert found is not None, done.stdout
    assert found.groups() == ("http://127.0.0.1:8265", command)
