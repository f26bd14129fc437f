"""The same tournament on a Ray cluster: the same results, though a node is killed in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import odd_policies
import pytest

from scotyard_env.arena import tournament
from scotyard_env.arena.folder import Folder, read_results
from scotyard_env.arena.tournament import make_setting

pytest.importorskip("ray", reason="ray is not installed: pip install 'scotyard-env[ray]'")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes on this machine, one processor each; the first one is where the tournament is started."""
    import ray
    from ray.cluster_utils import Cluster

    small = {"num_cpus": 1, "object_store_memory": 80_000_000}
    nodes = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
    nodes.add_node(**small)
    ray.init(address=nodes.address, log_to_driver=False)
    nodes.wait_for_nodes()
    yield nodes
    ray.shutdown()
    nodes.shutdown()


class SilentRay:
    """Takes down what it is asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def is_initialized(self) -> bool:
        return False

    def init(self, *, address: str, **_: Any) -> None:
        self.asked.append(address)

    def shutdown(self) -> None:
        self.asked.append("shutdown")


def test_without_an_address_no_other_cluster_on_the_machine_is_joined() -> None:
    from scotyard_env.arena.cluster import connect

    silent = SilentRay()
    with connect(silent, None):
        pass
    assert silent.asked == ["local", "shutdown"]


def same(results: Any) -> list[dict[str, Any]]:
    return [result.same for result in sorted(results, key=lambda result: result.key)]


def test_a_node_killed_in_the_middle_loses_nothing(cluster: Any, tmp_path: Path) -> None:
    from scotyard_env.arena.cluster import play_on_cluster

    policies = {"signs": odd_policies.Signs(book=str(tmp_path / "book")), "random": "random"}
    setting = make_setting("greedy", policies, games=30, board="docklands", seed=6)
    (tmp_path / "book").mkdir()
    with Folder(tmp_path / "out", setting, games=30) as folder:
        for outcome in play_on_cluster(setting, setting.keys(30)):
            folder.add(outcome)
            if len(folder.results) == 12:
                assert len(list((tmp_path / "book").iterdir())) == 2  # both nodes play
                cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)
    assert len(cluster.list_all_nodes()) == 1
    assert not any(result.forfeit for result in folder.results)
    here = tournament("greedy", policies, games=30, board="docklands", seed=6)
    assert same(read_results(tmp_path / "out")[0]) == same(here.results)


@pytest.mark.usefixtures("cluster")
def test_a_tournament_goes_on_with_another_engine(tmp_path: Path) -> None:
    options: dict[str, Any] = {"board": "docklands", "out": tmp_path, "seed": 2}
    tournament("greedy", "random", games=3, **options)
    there = tournament("greedy", "random", games=6, engine="ray", **options)
    here = tournament("greedy", "random", games=6, board="docklands", seed=2)
    assert same(there.results) == same(here.results)


@pytest.mark.usefixtures("cluster")
def test_forfeits_are_the_same_on_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scotyard_env.arena.cluster.RETRIES", 0)  # each takes seconds, and it would end the same way
    odd = {"raises": odd_policies.Raises(), "hangs": odd_policies.Hangs(), "dies": odd_policies.Dies()}
    options: dict[str, Any] = {"games": 1, "board": "docklands", "seed": 1, "move_limit": 0.3}
    there = tournament("random", odd, engine="ray", **options)
    here = tournament("random", odd, workers=1, **options)
    assert [result.forfeit for result in there.results] == ["detectives"] * 3
    assert [result.reason for result in there.results] == [result.reason for result in here.results]
    assert [result.round for result in there.results] == [result.round for result in here.results]


def test_the_engine_must_exist_and_an_address_goes_with_ray() -> None:
    with pytest.raises(ValueError, match="engine is 'dask': choose from processes, ray"):
        tournament("random", "random", games=1, engine="dask")
    with pytest.raises(ValueError, match="address is 'auto', which goes with the engine ray"):
        tournament("random", "random", games=1, address="auto")


def test_an_address_where_nobody_answers_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(ValueError, match=r"no Ray cluster answers at 127\.0\.0\.1:9"):
        tournament("random", "random", games=1, engine="ray", address="127.0.0.1:9")
