"""The contract of a policy as a function that anybody can call on theirs, as PettingZoo ships ``api_test``.

    from scotyard_env.testing import policy_test

    policy_test(MyPolicy)            # a class or whatever makes one, an object, or a name such as "greedy"
    policy_test("my_module:MyPolicy", side="mr_x", quick=True)

It raises ``PolicyTestError``, an ``AssertionError``, with the promise that is not kept and the position in which it is
not; ``scotyard check my_module:MyPolicy`` goes on and says of every promise whether it holds. Positions come from games
of random moves on all boards, by all editions, with one to five detectives, where the policy does not say by
``check_fit`` that it cannot play.
"""

import dataclasses
from collections.abc import Callable, Iterator

from scotyard_env.policy import Policy, PolicyError, Side
from scotyard_env.testing.positions import collect_spots, list_settings
from scotyard_env.testing.promises import PROMISES, PolicyTestError, Trial, reason_to_skip
from scotyard_env.testing.subject import Subject

__all__ = ["Finding", "PolicyTestError", "Report", "check_policy", "policy_test"]


@dataclasses.dataclass(frozen=True)
class Finding:
    """What was found out about one promise."""

    promise: str
    problem: str | None = None  # what is wrong, and where; None if nothing is
    skipped: str | None = None  # why it was not looked at; None if it was

    def __str__(self) -> str:
        if self.problem is not None:
            return f"FAILS    {self.promise}: {self.problem}"
        return f"holds    {self.promise}" if self.skipped is None else f"skipped  {self.promise}: {self.skipped}"


@dataclasses.dataclass(frozen=True)
class Report:
    """What was found out about a policy that keeps its contract."""

    policy: str
    findings: tuple[Finding, ...]

    def __str__(self) -> str:
        return "\n".join([self.policy, *map(str, self.findings)])


def policy_test(
    policy: str | Policy | Callable[..., Policy], side: Side | None = None, *, quick: bool = False, seed: int = 0
) -> Report:
    """Check that a policy keeps its contract on a side, or on all it plays; the first broken promise is raised."""
    subject = Subject.of(policy, side)
    findings = []
    for finding in check_policy(subject, quick=quick, seed=seed):
        if finding.problem is not None:
            raise PolicyTestError(f"{subject.name} breaks a promise. {finding.promise}: {finding.problem}")
        findings.append(finding)
    return Report(subject.name, tuple(findings))


def check_policy(
    policy: str | Policy | Callable[..., Policy] | Subject,
    side: Side | None = None,
    *,
    quick: bool = False,
    seed: int = 0,
) -> Iterator[Finding]:
    """Check one promise after the other, whatever was found about those before."""
    subject = policy if isinstance(policy, Subject) else Subject.of(policy, side)
    trial = _prepare(subject, quick, seed)
    for promise in PROMISES:
        stated = (promise.__doc__ or "").rstrip(".")
        if reason := reason_to_skip(subject, promise):
            yield Finding(stated, skipped=reason)
            continue
        try:
            promise(trial)
        except PolicyTestError as error:
            yield Finding(stated, problem=str(error))
        else:
            yield Finding(stated)


def _prepare(subject: Subject, quick: bool, seed: int) -> Trial:
    """Choose the positions: one or a dozen of every setting that the policy fits, and batches of a few settings."""
    settings = [one for one in enumerate(list_settings(), start=seed) if subject.fits(*one[1])]
    if not settings:
        raise PolicyError(f"{subject.name} fits none of our boards by none of our rule sets: nothing can be checked")
    each = max(1 if quick else 12, 24 // len(settings))
    everywhere = [spot for number, setting in settings for spot in collect_spots(setting, subject.sides, each, number)]
    stride = max(1, len(everywhere) // (12 if quick else 120))
    few = settings[:: 50 if quick else 10]
    batches = [collect_spots(setting, subject.sides, 8, number) for number, setting in few]
    return Trial(
        subject=subject,
        everywhere=everywhere,
        some=everywhere[::stride],
        batches=[batch for batch in batches if batch],
        draws=60 if quick else 600,
        games=1 if quick else 6,
        small=min((setting for _, setting in settings), key=lambda one: (one[0].stations, -one[1].detectives)),
        seed=seed,
    )
