#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the tuner's search with Kernel Tuner's strategies on the same recorded measurements.

    python3 -m venv venv && venv/bin/pip install kernel-tuner scikit-optimize pyatf    # 1.5.0 of kernel-tuner was used
    build/bench/fastnorm-bench-search some.rec --share 0.1 --seeds 10 > ours.json
    venv/bin/python bench/against_kernel_tuner.py some.rec --ours ours.json > compared.json

Each case of the recording (autotune --search exhaustive --record) becomes a cache file, which Kernel Tuner replays in
its simulation mode: every strategy may evaluate as many configurations as our search may have. No GPU is needed.

Where the two differ, it is in Kernel Tuner's favour: the time that it is given for a configuration is the median of all
its samples, without noise, and configurations that fail are not among its valid ones.
"""

import argparse
import concurrent.futures
import contextlib
import importlib.metadata
import io
import json
import math
import random
import signal
import statistics
import sys
import tempfile
import unittest.mock
import warnings
from pathlib import Path

# All that it offers for one objective, but for the exhaustive one.
STRATEGIES = [
    "random_sample",
    "minimize",
    "basinhopping",
    "diff_evo",
    "genetic_algorithm",
    "mls",
    "greedy_mls",
    "ordered_greedy_mls",
    "greedy_ils",
    "dual_annealing",
    "simulated_annealing",
    "pso",
    "firefly_algorithm",
    "bayes_opt",
    "skopt",
    "pyatf_strategies",
    "hybrid_vndx",
    "adaptive_tabu_greywolf",
]

# As fastnorm-bench-search: of fewer samples, the fastest of thousands is one that was lucky.
SAMPLES_OF_A_TIME = 16

LONGEST_SEARCH_S = 120

# The value of a field that the strategy does not have.
ABSENT = 0


class Case:
    """A case's configurations as parameters: the strategy, and the fields of all strategies."""

    def __init__(self, name):
        self.name = name
        self.configurations = []  # dictionaries
        self.times = []
        self.optimum = math.inf

    def add(self, contender, failure, samples):
        if failure or not samples:
            return
        strategy, _, fields = contender.partition(" ")
        configuration = {"strategy": strategy}
        for field in filter(None, fields.split(",")):
            key, value = field.split("=")
            configuration[key] = int(value) if value.lstrip("-").isdigit() else value
        self.configurations.append(configuration)
        self.times.append(statistics.median(samples))
        if len(samples) >= SAMPLES_OF_A_TIME:
            self.optimum = min(self.optimum, self.times[-1])

    def parameters(self):
        """Each parameter's values, numbers in order."""
        names = dict.fromkeys(name for one in self.configurations for name in one)
        values = {
            name: {one.get(name, ABSENT) for one in self.configurations} for name in names
        }
        return {
            name: sorted(values[name], key=lambda value: (isinstance(value, str), value)) for name in names
        }


def read_recording(path):
    cases = []
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    if lines[0] != "fastnorm recording 1":
        sys.exit(f"{path}: is no recording")
    for line in lines[1:]:
        fields = line.split("\t")
        if fields[0] == "case":
            cases.append(Case(fields[1]))
        else:
            cases[-1].add(fields[0], fields[2], [float(sample) for sample in fields[3:]])
    return cases


class Replay:
    """A case in Kernel Tuner's terms."""

    def __init__(self, case, folder):
        self.parameters = case.parameters()
        self.optimum = case.optimum
        self.path = Path(folder) / f"{case.name}.json"
        entries = {}
        for configuration, us in zip(case.configurations, case.times):
            entry = {name: configuration.get(name, ABSENT) for name in self.parameters}
            key = ",".join(str(value) for value in entry.values())
            entries[key] = {**entry, "time": us, "times": [us], "compile_time": 0, "verification_time": 0,
                            "benchmark_time": 0, "strategy_time": 0, "framework_time": 0}
        self.cache = {
            "device_name": "recorded",
            "kernel_name": "fastnorm",
            "problem_size": 1,
            "tune_params_keys": list(self.parameters),
            "tune_params": self.parameters,
            "objective": "time",
            "cache": entries,
        }
        self.path.write_text(json.dumps(self.cache), encoding="utf-8")

    def searchspace(self, *_, **__):
        """What was recorded is valid, and nothing else."""
        from kernel_tuner.searchspace import Searchspace
        return Searchspace(None, None, None, from_cache=self.cache)

    def best_time(self, strategy, evaluations, seed):
        """Of what the strategy has evaluated, in optima."""
        import kernel_tuner
        import numpy
        random.seed(seed)
        numpy.random.seed(seed)
        # tune_kernel() would find the valid configurations in the product of all values, which has too many.
        with unittest.mock.patch("kernel_tuner.interface.Searchspace", self.searchspace):
            results, _ = kernel_tuner.tune_kernel(
                "fastnorm", "__global__ void fastnorm() {}", 1, [], self.parameters, lang="CUDA", strategy=strategy,
                strategy_options={"max_fevals": evaluations}, cache=str(self.path), simulation_mode=True,
                quiet=True, seed=seed)
        times = [result["time"] for result in results if isinstance(result.get("time"), float)]
        return max(1.0, min(times) / self.optimum)


class TooLong(Exception):
    pass


def give_up(*_):
    raise TooLong()


def time_or_failure(replay, strategy, evaluations, seed):
    """Some strategies have no end where the space is small."""
    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(LONGEST_SEARCH_S)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return replay.best_time(strategy, evaluations, seed), None
    except TooLong:
        return None, f"not done after {LONGEST_SEARCH_S} s"
    except Exception as error:  # whatever it is: one strategy's failure must not end the others
        return None, f"{type(error).__name__}: {error}"[:200]
    finally:
        signal.alarm(0)


def searches(case, strategy, evaluations, seeds):
    """The geometric mean of what the seeds' searches have found, in optima; and what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        replay = Replay(case, folder)
        logarithms = 0.0
        for seed in range(1, seeds + 1):
            found, failure = time_or_failure(replay, strategy, evaluations, seed)
            if failure:
                return None, f"{case.name}, seed {seed}: {failure}"
            logarithms += math.log(found)
    return math.exp(logarithms / seeds), None


def compare(cases, ours, strategies, jobs):
    seeds = ours["seeds"]
    allowed = {case["name"]: case["allowed"] for case in ours["cases"]}
    result = {
        "kernel_tuner": importlib.metadata.version("kernel_tuner"),
        "share": ours["share"],
        "seeds": seeds,
        "fastnorm": {
            "regret": ours["regret"],
            "cases": {case["name"]: case["regret"] for case in ours["cases"]},
        },
        "strategies": {},
    }
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        pending = {
            strategy: [pool.submit(searches, case, strategy, allowed[case.name], seeds) for case in cases]
            for strategy in strategies
        }
        for strategy, futures in pending.items():
            outcomes = [future.result() for future in futures]
            failures = [failure for _, failure in outcomes if failure]
            regrets = {case.name: found - 1 for case, (found, _) in zip(cases, outcomes) if found is not None}
            entry = {"regret": None, "cases": regrets}
            if failures:
                entry["failures"] = failures
            else:
                entry["regret"] = statistics.geometric_mean(1 + regret for regret in regrets.values()) - 1
            result["strategies"][strategy] = entry
            print(f"{strategy}: {entry['regret'] if not failures else failures[0]}", file=sys.stderr)
    whole = {name: entry["regret"] for name, entry in result["strategies"].items() if entry["regret"] is not None}
    if whole:
        best = min(whole, key=whole.get)
        result["best_strategy"] = {"name": best, "regret": whole[best]}
    return result


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("recording", help="what autotune --search exhaustive --record has written")
    parser.add_argument("--ours", required=True, help="what fastnorm-bench-search says of the same recording")
    parser.add_argument("--strategy", action="append", help="one of Kernel Tuner's; may be repeated (default: all)")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args(arguments)
    ours = json.loads(Path(options.ours).read_text(encoding="utf-8"))
    cases = read_recording(options.recording)
    if [case.name for case in cases] != [case["name"] for case in ours["cases"]]:
        parser.error("--ours is of another recording")
    json.dump(compare(cases, ours, options.strategy or STRATEGIES, options.jobs), sys.stdout, indent=2)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
