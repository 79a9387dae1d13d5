"""The measuring loops: libraries take turns, so that a busy moment hits them alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace

from benchmarks.cases import Case
from benchmarks.data import DataFolder
from benchmarks.growth import Growth
from benchmarks.runners import PeerError, Roster

# One thread whose wall clock is this many times its processor time shared its core with something
# else; one whose processor time is this many times its wall clock was not one thread.
APART = 1.1
# Predictions are short: they take this many times the rounds of fits.
PREDICT_ROUNDS = 3

Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """How often to measure: the first of `threads` for every seed, the others `repeats` times."""

    seeds: int
    repeats: int
    threads: tuple[int, ...]

    def rounds(self, n_jobs: int) -> int:
        """Return how many rounds a number of threads takes part in."""
        return max(self.seeds, self.repeats) if n_jobs == self.threads[0] else self.repeats


@dataclass
class Runs:
    """What one library needed for one piece of work, round by round."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        """Return the shortest wall clock time in seconds."""
        return min(self.wall)

    @property
    def cores(self) -> float:
        """Return how many cores the best run had on average: processor time over wall clock."""
        return self.cpu[self.wall.index(self.best)] / self.best

    @property
    def n_busy(self) -> int:
        """Count the runs of one thread that had to share its core."""
        return sum(wall > APART * cpu for wall, cpu in zip(self.wall, self.cpu, strict=True))

    @property
    def n_parallel(self) -> int:
        """Count the runs of one thread that were in truth several."""
        return sum(cpu > APART * wall for wall, cpu in zip(self.wall, self.cpu, strict=True))


@dataclass
class CaseResult:
    """The runs of a case by library and number of threads, and why some libraries have none."""

    case: Case
    threads: tuple[int, ...]
    versions: dict[str, str]
    runs: dict[tuple[str, int], Runs] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def systems(self) -> tuple[str, ...]:
        """Return silvan and the peers of the case."""
        return ("silvan", *self.case.peers)

    def get(self, system: str, n_jobs: int | None = None) -> Runs | None:
        """Return the runs of a library, with one thread by default, or None."""
        return self.runs.get((system, self.threads[0] if n_jobs is None else n_jobs))

    def add(self, system: str, n_jobs: int, reply: dict[str, float]) -> Runs:
        """Note the times of one run."""
        runs = self.runs.setdefault((system, n_jobs), Runs())
        runs.wall.append(reply["wall"])
        runs.cpu.append(reply["cpu"])
        return runs


class Meter:
    """Measures cases with the libraries of a roster on the data of a folder."""

    def __init__(self, roster: Roster, folder: DataFolder, plan: Plan, say: Say) -> None:
        self.roster = roster
        self.plan = plan
        self._folder = folder
        self._say = say

    def fits(self, case: Case) -> CaseResult:
        """Measure fit time and test error.

        Parameters
        ----------
        case : Case
            The work and the libraries.

        Returns
        -------
        result : CaseResult
            Every round is one fit; test errors are those of one thread, one per seed.
        """
        result = self._begin(case)
        for index, n_jobs, system in self._turns(result):
            seed = index % self.plan.seeds
            work = replace(case.work, n_jobs=n_jobs, seed=seed)
            data = self._folder.path(case.data, seed)
            with _Guard(result, system):
                reply = self._send("fit", system, data, work=asdict(work))
                runs = result.add(system, n_jobs, reply)
                if n_jobs == self.plan.threads[0] and index < self.plan.seeds:
                    runs.errors.append(self._send("predict", system, data, n_jobs=1)["error"])
                self._say(f"  {case.name} {system} x{n_jobs}: {runs.wall[-1]:.2f} s")
        return result

    def predictions(self, case: Case) -> CaseResult:
        """Measure how long each library takes for the 10,000 test rows; each fits once."""
        result = self._begin(case)
        data = self._folder.path(case.data, 0)
        for system in list(self._present(result)):
            with _Guard(result, system):
                self._send("fit", system, data, work=asdict(case.work))
        for _, n_jobs, system in self._turns(result, PREDICT_ROUNDS):
            with _Guard(result, system):
                reply = self._send("predict", system, data, n_jobs=n_jobs)
                result.add(system, n_jobs, reply).errors[:] = [reply["error"]]
        return result

    def growth(self, growth: Growth, system: str) -> list[float]:
        """Return the best fit time of a library at each point; it takes the points in turns."""
        best = [float("inf")] * len(growth.points)
        for _ in range(self.plan.repeats):
            for i, (spec, work) in enumerate(growth.points):
                data = self._folder.path(spec, 0)
                reply = self._send("fit", system, data, work=asdict(work))
                best[i] = min(best[i], reply["wall"])
        self._say(f"  growth with {growth.name}, {system}: " + " ".join(f"{s:.2f}" for s in best))
        return best

    def data_path(self, case: Case) -> str:
        """Return the folder of a case's data."""
        return self._folder.path(case.data, 0)

    def _begin(self, case: Case) -> CaseResult:
        result = CaseResult(case, self.plan.threads, self.roster.versions)
        self._say(f"{case.name}: {case.title}")
        present = self.roster.find(list(result.systems))
        result.failures = {s: self.roster.missing[s] for s in result.systems if s not in present}
        data, small = self._folder.path(case.data, 0), replace(case.work, n_trees=2)
        for system in present:
            with _Guard(result, system):
                self._send("warm_up", system, data, work=asdict(small))
        return result

    def _present(self, result: CaseResult) -> Iterator[str]:
        return (system for system in result.systems if system not in result.failures)

    def _turns(self, result: CaseResult, times: int = 1) -> Iterator[tuple[int, int, str]]:
        """Yield round, threads and library; who comes first changes from round to round."""
        for index in range(times * self.plan.rounds(self.plan.threads[0])):
            for n_jobs in self.plan.threads:
                systems = list(self._present(result))
                if index >= times * self.plan.rounds(n_jobs) or not systems:
                    continue
                first = index % len(systems)
                for system in systems[first:] + systems[:first]:
                    yield index, n_jobs, system

    def _send(self, verb: str, system: str, data: str, **rest: object) -> dict[str, float]:
        command = {"do": verb, "system": system, "data": data, **rest}
        return self.roster.runners[system].send(command)


class _Guard:
    """Turns the failure of a library into a note, so that the others go on without it."""

    def __init__(self, result: CaseResult, system: str) -> None:
        self._result = result
        self._system = system

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, PeerError):
            return False
        self._result.failures[self._system] = str(error)
        for key in [key for key in self._result.runs if key[0] == self._system]:
            del self._result.runs[key]
        return True
