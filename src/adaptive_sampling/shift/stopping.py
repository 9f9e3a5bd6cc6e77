"""When to stop: the paper's bounds on the error (Appendix B), the samples they ask for, and whether they hold.

MASA puts an upper bound on each partition's uncertainty score and adds them up with the partition's weight,

    B(c) = sum over strata of p^2 / n (sigma_hat + (c/n)^(1/4))^2,

and stops once B <= target^2. Lemma 3 gives c = log(2/delta) / 2, for which all scores lie below their bounds with
probability 1 - (strata) N delta. The paper instead chooses "c to ensure a 1% error under 95% confidence level".
Uniform and stratified sampling are bounded by sqrt(c/n), whatever the answers, so they stop at n = c / target^2.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numba
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from adaptive_sampling.cases import Case
from adaptive_sampling.montecarlo import Trials, run_blocks
from adaptive_sampling.randomness import named_generator, stream_words
from adaptive_sampling.shift.experiment import Setting, budget_grid
from adaptive_sampling.shift.level_sort import draw, uniform
from adaptive_sampling.shift.population import Population
from adaptive_sampling.shift.samplers import SAMPLERS, Parameters

STOPPING_COLUMNS: Final = {
    "case": "text",
    "sampler": "text",
    "rule": "text",
    "c": "number?",
    "n_stop": "number?",
    "n_stop_low": "number?",
    "n_stop_high": "number?",
    "stopped": "number",
    "coverage": "number?",
    "coverage_se": "number?",
    "bound_coverage": "number?",
    "n95": "integer?",
    "paper": "integer?",
}
"""Columns of ``stopping.csv``: `n_stop` is the mean number of queries, from 5% to 95% of the runs between `n_stop_low`
and `n_stop_high`; `stopped` the share of runs that stop within the largest budget; `coverage` the share of runs whose
error at the stop is within the target; `bound_coverage` that of runs in which all bounds on scores hold;
`n95` is what is really required and `paper` is Table 1."""

C_GRID: Final = (0.0, *np.geomspace(1e-4, 1e3, 50))
"""Values of c among which MASA's is chosen."""

LIMIT_DRAWS: Final = 20_000
"""Draws behind the quantile of the limit law of uniform sampling's error, and behind its coverage."""


def lemma_3_c(strata: int, budget: int, confidence: float) -> float:
    """Return log(2/delta) / 2 with delta such that (strata) N delta = 1 - confidence (Lemma 3).

    Examples
    --------
    >>> round(lemma_3_c(6, 20_000, 0.95), 3)
    7.691
    """
    delta = (1 - confidence) / (strata * budget)
    return math.log(2 / delta) / 2


@numba.njit(nogil=True, cache=True)
def bounds_along(  # type: ignore[no-untyped-def]
    answers, start, share, uncertainty, predicted, words, first_trial, count, c, sure_c, bound, held
) -> None:
    """Compute the bound B(c) on the loss at given counts.

    Parameters
    ----------
    answers, start, share, uncertainty
        The population's arrays, for weights of 1.
    predicted : int
        Number of predicted labels.
    words : ndarray of uint32, shape (2,)
    first_trial : int
    count : ndarray of int32, shape (trials, B, G)
        At least 2 in every stratum.
    c : ndarray of float, shape (C,)
    sure_c : float
        The c of Lemma 3.
    bound : ndarray of float, shape (trials, B, C)
        Filled with B(c).
    held : ndarray of bool, shape (trials,)
        Filled with whether |sigma_hat - sigma| <= (sure_c / n)^(1/4) after every answer of every stratum.

    Notes
    -----
    B(c) is a square in c^(1/4), whose three coefficients are sums over strata: they are added up once for all c.
    """
    plain, mixed, wide = np.empty(count.shape[1]), np.empty(count.shape[1]), np.empty(count.shape[1])
    root = np.sqrt(np.sqrt(c))
    most = count[:, -1].max()
    sure = np.sqrt(np.sqrt(sure_c / np.arange(1, most + 1)))
    # A stream's numbers come in pairs: one more than it gives may be drawn.
    number, answer, sigma = np.empty(most + 1), np.empty(most, answers.dtype), np.empty(most)
    for trial in range(count.shape[0]):
        held[trial] = True
        plain[:] = 0.0
        mixed[:] = 0.0
        wide[:] = 0.0
        for g in range(len(share)):
            taken = count[trial, -1, g]
            uniform(words, first_trial + trial, g, 0, number[: taken + taken % 2])
            draw(answers[start[g] : start[g + 1]], number, answer[:taken])
            deviations(answer[:taken], predicted, sigma)
            held[trial] &= within(sigma[1:taken], np.sqrt(uncertainty[g]), sure[1:taken])
            for b in range(count.shape[1]):
                n = count[trial, b, g]
                weight, width = share[g] ** 2 / n, 1.0 / np.sqrt(np.sqrt(float(n)))
                plain[b] += weight * sigma[n - 1] ** 2
                mixed[b] += weight * sigma[n - 1] * width
                wide[b] += weight * width**2
        for b in range(count.shape[1]):
            for i in range(len(c)):
                bound[trial, b, i] = plain[b] + root[i] * (2.0 * mixed[b] + root[i] * wide[b])


@numba.njit(nogil=True, cache=True)
def deviations(answer, predicted, sigma):  # type: ignore[no-untyped-def]
    """Estimate sigma by the U-statistic (3.1) after each answer.

    Parameters
    ----------
    answer : ndarray of int, shape (n,)
        At least one.
    predicted : int
        Number of predicted labels.
    sigma : ndarray of float
        Filled up to n; 0 after the first answer, which says nothing.
    """
    frequency = np.zeros(predicted, np.int64)
    pairs = np.int64(0)
    for k in range(len(answer)):
        pairs += k - frequency[answer[k]]
        frequency[answer[k]] += 1
        sigma[k] = pairs
    for k in range(1, len(answer)):
        sigma[k] = np.sqrt(2.0 * sigma[k] / (k * (k + 1.0)))


@numba.njit(nogil=True, cache=True)
def within(sigma, truth, width) -> Any:  # type: ignore[no-untyped-def]
    """Whether all estimates lie within their width of the truth."""
    outside = 0
    for k in range(len(sigma)):
        outside += abs(sigma[k] - truth) > width[k]
    return outside == 0


def _block(
    population: Population,
    budgets: NDArray[np.int64],
    parameters: Parameters,
    seed: int,
    c: NDArray[np.float64],
    sure_c: float,
    trials: Trials,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Errors, bounds and whether they hold, in one block. Of the module, so that any joblib backend can send it."""
    result = SAMPLERS["masa"].simulate(population, budgets, parameters, seed, trials)
    bound = np.empty((*result.error.shape, len(c)))
    held = np.empty(trials.count, dtype=np.bool_)
    bounds_along(
        population.answers,
        population.start,
        population.share,
        population.uncertainty,
        population.new.shape[1],
        stream_words(seed, f"shift/{population.name}"),
        trials.first,
        result.count,
        c,
        sure_c,
        bound,
        held,
    )
    return result.error, bound, held


def first_stops(bound: NDArray[np.float64], target: float) -> NDArray[np.int64]:
    """Return the place of the first budget at which each bound is within target^2; B where none is.

    Parameters
    ----------
    bound : ndarray of float, shape (trials, B, ...)
    target : float

    Returns
    -------
    ndarray of int64, shape (trials, ...)
    """
    within = bound <= target**2
    first: NDArray[np.int64] = np.where(within.any(axis=1), within.argmax(axis=1), bound.shape[1])
    return first


def coverage_of(error: NDArray[np.float64], stop: NDArray[np.int64], target: float) -> float:
    """Share of runs whose error at the stop is within the target; a run that never stops does not count as within.

    Parameters
    ----------
    error : ndarray of float, shape (trials, B)
        Squared errors.
    stop : ndarray of int64, shape (trials,)
    target : float
    """
    at = error[np.arange(len(error)), np.minimum(stop, error.shape[1] - 1)]
    return float(((at <= target**2) & (stop < error.shape[1])).mean())


def calibrated(
    error: NDArray[np.float64], stop: NDArray[np.int64], target: float, confidence: float
) -> int | None:
    """Return the place of the smallest c from which on the coverage reaches the confidence, or None.

    Parameters
    ----------
    error : ndarray of float, shape (trials, B)
    stop : ndarray of int64, shape (trials, C)
        One column a value of c, in increasing order.
    target, confidence : float
    """
    reached = np.array([coverage_of(error, column, target) >= confidence for column in stop.T])
    return int(reached.argmax()) if reached.any() else None


def masa_rules(
    population: Population, case: Case, n95: int | None, parameters: Parameters, setting: Setting
) -> list[dict[str, Any]]:
    """Run MASA and stop it by Lemma 3, by the calibrated c, by c = 0, and by the c that gives the paper's size.

    The calibrated c is chosen on the first half of the trials; all coverages are measured on the second half.

    Parameters
    ----------
    population : Population
        The case over (label, difficulty).
    case : Case
    n95 : int or None
        What is really required.
    parameters : Parameters
    setting : Setting

    Returns
    -------
    list of dict
        Rows of ``stopping.csv``.
    """
    budgets = budget_grid(population.strata, SAMPLERS["masa"].least, setting)
    sure_c = lemma_3_c(population.strata, setting.last_budget, setting.confidence)
    c = np.array(sorted([*C_GRID, sure_c]))
    run = partial(_block, population, budgets, parameters, setting.seed, c, sure_c)
    title = f"{population.name} stopping"
    blocks = run_blocks(run, setting.trials, jobs=setting.jobs, backend=setting.backend, title=title)
    error, bound, held = (np.concatenate([block[part] for block in blocks]) for part in range(3))
    stop = first_stops(bound, setting.target_error)
    half = len(error) // 2
    chosen = calibrated(error[:half], stop[:half], setting.target_error, setting.confidence)
    queries = np.append(budgets, budgets[-1])[stop].mean(axis=0)
    nearest = int(np.abs(queries - case.paper_masa).argmin()) if case.paper_masa else None
    places = {
        "lemma_3": int(np.searchsorted(c, sure_c)),
        "calibrated": chosen,
        "plug_in": 0,
        "paper_masa": nearest,
    }
    rows = []
    for rule, place in places.items():
        row: dict[str, Any] = {"case": case.case, "sampler": "masa", "rule": rule}
        row |= {"n95": n95, "paper": case.paper_masa}
        if place is not None:
            row |= _summary(error[half:], stop[half:, place], budgets, setting) | {"c": float(c[place])}
            if rule == "lemma_3":
                row["bound_coverage"] = float(held.mean())
        rows.append({"stopped": 0.0} | row)
    return rows


def _summary(
    error: NDArray[np.float64], stop: NDArray[np.int64], budgets: NDArray[np.int64], setting: Setting
) -> dict[str, float]:
    """Sum up the stops of one rule; sizes are empty if some run never stops."""
    stopped = float((stop < len(budgets)).mean())
    row = {"stopped": stopped}
    if stopped == 1.0:
        n = budgets[stop]
        coverage = coverage_of(error, stop, setting.target_error)
        row |= {
            "n_stop": float(n.mean()),
            "n_stop_low": float(np.quantile(n, 0.05)),
            "n_stop_high": float(np.quantile(n, 0.95)),
            "coverage": coverage,
            "coverage_se": math.sqrt(coverage * (1 - coverage) / len(error)),
        }
    return row


def limit_c(confusion: NDArray[np.float64], confidence: float, rng: np.random.Generator) -> float:
    """Quantile of N ||C - C_hat||^2 for uniform sampling, as N grows.

    The error of the raw frequency is multinomial, so N times its square tends to sum_k w_k z_k^2 with independent
    standard normal z and w the eigenvalues of diag(C) - C C'. It is the c for which sqrt(c/n) holds with that
    confidence.

    Parameters
    ----------
    confusion : ndarray of float
        Joint shares that sum to 1, of any shape.
    confidence : float
    rng : numpy.random.Generator

    Examples
    --------
    >>> from scipy.stats import chi2
    >>> c = limit_c(np.array([0.5, 0.5]), 0.95, np.random.default_rng(0))
    >>> abs(c / (0.5 * chi2.ppf(0.95, 1)) - 1) < 0.05
    True
    """
    cells = confusion[confusion > 0]
    weights = np.linalg.eigvalsh(np.diag(cells) - np.outer(cells, cells))
    squares = rng.standard_normal((LIMIT_DRAWS, len(cells))) ** 2
    return float(np.quantile(squares @ np.maximum(weights, 0.0), confidence))


def distribution_free_c(confidence: float) -> float:
    """Return (1 + sqrt(2 log(1/(1 - confidence))))^2, a c that holds for any answers.

    The mean error of N samples is at most 1/sqrt(N), and one sample moves it by at most sqrt(2)/N (McDiarmid).

    Examples
    --------
    >>> round(distribution_free_c(0.95), 2)
    11.89
    """
    return float((1 + math.sqrt(2 * math.log(1 / (1 - confidence)))) ** 2)


def baseline_rules(
    populations: dict[str, Population], case: Case, n95: dict[str, int | None], setting: Setting
) -> list[dict[str, Any]]:
    """Stop uniform and stratified sampling at n = c / target^2, for four choices of c.

    `paper_us`: the c that Table 1 implies; `uniform_limit`: the quantile of uniform sampling's own error;
    `label_limit`: the same if the API were always right, which depends on the dataset alone, as the paper's column
    does; `distribution_free`: a bound that holds for any API.

    Parameters
    ----------
    populations : dict
        The case under each kind of strata.
    case : Case
    n95 : dict of str to int or None
        What ``uniform`` and ``stratified_equal`` really require.
    setting : Setting

    Returns
    -------
    list of dict
        Rows of ``stopping.csv``.
    """
    by_label = populations["label"]
    new = by_label.new
    rng = named_generator(setting.seed, f"shift/{case.case}/stopping/limit")
    paper = case.paper_uniform_stratified
    rules = {
        "paper_us": None if paper is None else paper * setting.target_error**2,
        "uniform_limit": limit_c(new.ravel(), setting.confidence, rng),
        "label_limit": limit_c(new.sum(axis=1), setting.confidence, rng),
        "distribution_free": distribution_free_c(setting.confidence),
    }
    sizes = {
        rule: math.ceil(c / setting.target_error**2 - 1e-9) for rule, c in rules.items() if c is not None
    }
    rows = []
    for name in ("uniform", "stratified_equal"):
        for rule, c in rules.items():
            n = sizes.get(rule)
            row: dict[str, Any] = {"case": case.case, "sampler": name, "rule": rule}
            row |= {"c": c, "n_stop": n, "n_stop_low": n, "n_stop_high": n, "stopped": float(n is not None)}
            row |= {"n95": n95[name], "paper": paper}
            if n is not None:
                if name == "uniform":  # one stratum of pairs (label, answer)
                    strata, share = new.reshape(1, -1), np.ones(1)
                else:
                    strata, share = by_label.distribution, by_label.share
                each = np.full(len(strata), math.ceil(n / len(strata)), dtype=np.int32)
                coverage = coverage_of_fixed(strata, share, each, setting.target_error, rng)
                row |= {
                    "coverage": coverage,
                    "coverage_se": math.sqrt(coverage * (1 - coverage) / LIMIT_DRAWS),
                }
            rows.append(row)
    return rows


def coverage_of_fixed(
    distribution: NDArray[np.float64],
    factor: NDArray[np.float64],
    count: NDArray[np.int32],
    target: float,
    rng: np.random.Generator,
) -> float:
    """Share of `LIMIT_DRAWS` runs whose error is within the target, for counts that do not depend on answers.

    Parameters
    ----------
    distribution : ndarray of float, shape (G, J)
        What the API answers in each stratum.
    factor : ndarray of float, shape (G,)
        Weight of each stratum in the estimate.
    count : ndarray of int32, shape (G,)
    target : float
    rng : numpy.random.Generator
    """
    error = np.zeros(LIMIT_DRAWS)
    for mu, p, n in zip(distribution, factor, count):
        # An answer that never comes takes no random number, so that it can be left out; the last one takes the rest.
        kept = mu > 0
        kept[-1] = True
        difference = rng.multinomial(n, (mu / mu.sum())[kept], size=LIMIT_DRAWS) / n - mu[kept]
        error += p**2 * np.einsum("ij,ij->i", difference, difference)
    return float((error <= target**2).mean())


def stopping(
    cases: Sequence[Case],
    populations: dict[str, dict[str, Population]],
    sizes: pd.DataFrame,
    parameters: Parameters,
    setting: Setting,
) -> pd.DataFrame:
    """Stop all cases by all rules.

    Parameters
    ----------
    cases : sequence of Case
    populations : dict
        By case, then by kind of strata.
    sizes : DataFrame
        ``required_size.csv``.
    parameters : Parameters
        Of MASA.
    setting : Setting

    Returns
    -------
    DataFrame
        Columns `STOPPING_COLUMNS`.
    """
    required = {
        (case, sampler): None if pd.isna(n) else int(n)
        for case, sampler, n in zip(sizes["case"], sizes["sampler"], sizes["n95"])
    }
    rows: list[dict[str, Any]] = []
    for case in cases:
        of_strata = populations[case.case]
        n95 = {name: required.get((case.case, name)) for name in ("masa", "uniform", "stratified_equal")}
        rows += masa_rules(of_strata["label_difficulty"], case, n95["masa"], parameters, setting)
        rows += baseline_rules(of_strata, case, n95, setting)
    table = pd.DataFrame(rows, columns=list(STOPPING_COLUMNS))
    return table.astype({"n95": "Int64", "paper": "Int64"})
