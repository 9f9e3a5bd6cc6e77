"""The answers of 2021, reconstructed from what is published about them.

For each pair the accuracy of 2021 and the overlap with 2020 are published, and for 100 items of each dataset
the answers themselves. With n items, ``changed = n (1 - overlap)`` answers differ and ``net = n (accuracy 2021
- accuracy 2020)`` more of them are right. Call a the wrong answers that became right, b the right ones that
became wrong and c the wrong ones that became another wrong one; then ``a - b = net`` and ``a + b + c =
changed``. Two classes leave c = 0, so a and b are known. Which items change is drawn; the totals are exact.
See docs/reconstruction.md.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from adaptive_sampling.cases import Case
from adaptive_sampling.errors import InputError
from adaptive_sampling.randomness import named_generator
from adaptive_sampling.recordings.frugalml import Recording
from adaptive_sampling.recordings.published import PublishedPair, SampledAnswer

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Flips = Literal["confidence", "uniform", "confidence_and_open_source"]

DEFAULT_SEED: Final = 20210426
"""The seed behind the tables in `data/replay`."""

SLOPES: Final[Mapping[str, tuple[float, float]]] = {
    "sa": (-5.4, -5.4),
    "fer": (-4.5, 0.0),
    "scr": (-6.5, -1.0),
}
"""Slopes of the log odds of changing over the rank of the 2020 confidence, for right and for wrong answers;
fitted on the sampled items (see `flip_curve`) and rounded."""

PRIOR_WEIGHT: Final = 4.0
"""Weight, in changed answers, of the general rule against what a pair's own 100 items show."""

EMPTY_SLOPE: Final = 3.1
"""Slope of the log odds that an empty answer changes over the rank of the open-source model's confidence
within the label: fitted on the samples too, and used only if chosen."""

POOLED_OTHER: Final = (15, 142)
"""Among the changed answers of all samples, those from wrong to another wrong, and all."""

MOST_OTHER: Final = 2 / 3
"""Most of the slack that c may take when the sample decides, so that b is never forced to 0."""

OVERALL_WEIGHT: Final = 0.5
"""Weight of the errors of all labels against those of the item's own label, in choosing a wrong answer."""

LABEL_FACTS: Final[Mapping[str, Mapping[str, float]]] = {
    "amazon_yelp": {"positive": -0.0064, "negative": +0.0266},
    "amazon_imdb": {"positive": -0.05},
}
"""Changes of the joint share of correct answers of a label, as the MASA paper gives them (Figures 4 and 6)."""


@dataclass(frozen=True)
class ReconstructionChoices:
    """What the published figures leave open.

    Attributes
    ----------
    other_wrong : float or None
        c as a share of the slack ``changed - |net|``, in [0, 1], as near as the sampled items allow; None takes
        it from the sample. Two classes have c = 0 whatever is chosen.
    flips : {"confidence", "uniform", "confidence_and_open_source"}
        Whether less confident answers change more often, or all alike, or whether moreover empty answers
        change more often where the open-source model is confident.
    seed : int
        Of every draw.
    """

    other_wrong: float | None = None
    flips: Flips = "confidence"
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        """Refuse choices that mean nothing."""
        if self.other_wrong is not None and not 0 <= self.other_wrong <= 1:
            raise InputError(f"other_wrong: found {self.other_wrong}, expected 0 to 1, or None")
        if self.flips not in get_args(Flips):
            raise InputError(f"flips: found {self.flips!r}, allowed are {', '.join(get_args(Flips))}")
        if self.seed < 0:
            raise InputError(f"seed: found {self.seed}, expected a whole number of at least 0")


@dataclass(frozen=True)
class Transitions:
    """How many answers changed, by what became of them.

    Attributes
    ----------
    to_right, to_wrong, to_other : int
        a, b and c: wrong to right, right to wrong, wrong to another wrong.
    """

    to_right: int
    to_wrong: int
    to_other: int


@dataclass(frozen=True)
class Anchors:
    """The sampled items, found again among the recorded ones.

    Attributes
    ----------
    items : ndarray of int64, shape (sampled,)
        Their rows in the recording.
    new : ndarray of int64, shape (sampled,)
        Their recorded answers of 2021.
    """

    items: Integers
    new: Integers


def reconstruct(
    case: Case,
    recording: Recording,
    published: PublishedPair,
    sample: tuple[SampledAnswer, ...],
    choices: ReconstructionChoices,
) -> Integers:
    """Reconstruct the answers of 2021 of one case.

    Parameters
    ----------
    case : Case
    recording : Recording
        What the API answered in 2020.
    published : PublishedPair
        Accuracies and overlap; both are met exactly, as whole numbers of items.
    sample : tuple of SampledAnswer
        Items whose answers of 2021 are recorded; they keep them.
    choices : ReconstructionChoices

    Returns
    -------
    ndarray of int64, shape (items,)
        Predicted labels.

    Raises
    ------
    InputError
        If the published figures contradict the recording or each other.
    """
    label, old = recording.labels, recording.predictions
    anchors = find_anchors(case, recording, sample)
    counts = count_transitions(case, recording, published, anchors, choices)
    new = old.copy()
    new[anchors.items] = anchors.new
    known = np.zeros(len(old), dtype=bool)
    known[anchors.items] = True
    changed, right_before, right_now = new != old, old == label, new == label

    ranks = middle_ranks(recording.confidences)
    if_right, if_wrong = change_curves(case, recording, ranks, choices)
    # Empty answers form groups of their own: they change far more often than other wrong ones.
    wrong_groups = 2 * label + _is_empty(recording)
    # An API that never gave a label in 2020 (Google never sees disgust or fear) cannot be right about it.
    can_be_right = ~right_before & np.isin(label, old)

    to_wrong = change_probabilities(
        counts.to_wrong, right_before, label, if_right, known=known, known_changed=changed
    )
    to_right = change_probabilities(
        counts.to_right, can_be_right, wrong_groups, if_wrong, known=known, known_changed=right_now
    )
    gains = label_gains(case, counts.to_right - counts.to_wrong)
    if gains is not None:
        left = gains - _gained(label[anchors.items], old[anchors.items], anchors.new)
        to_wrong, to_right = meet_label_gains(left, label, to_wrong, to_right)

    def draw(step: str, probabilities: Floats) -> Flags:
        rng = named_generator(choices.seed, f"recordings/{case.case}/{step}")
        return systematic_draw(probabilities, (ranks, wrong_groups), rng)

    becomes_wrong, becomes_right = draw("to wrong", to_wrong), draw("to right", to_right)
    to_other = change_probabilities(
        counts.to_other,
        ~right_before & ~becomes_right,
        wrong_groups,
        if_wrong,
        known=known,
        known_changed=changed & ~right_now,
    )
    new[becomes_right] = label[becomes_right]
    drawn = np.flatnonzero(becomes_wrong | draw("to other wrong", to_other))
    rng = named_generator(choices.seed, f"recordings/{case.case}/wrong answers")
    new[drawn] = draw_wrong_answers(case, recording, anchors, drawn, rng)
    _check(case, recording, new, counts)
    return new


def change_curves(
    case: Case, recording: Recording, ranks: Floats, choices: ReconstructionChoices
) -> tuple[Floats, Floats]:
    """Log odds of changing, but for an intercept, of right and of wrong answers.

    Parameters
    ----------
    case, recording, choices
        As for `reconstruct`.
    ranks : ndarray of float, shape (items,)
        Rank of the API's confidence, from `middle_ranks`.

    Returns
    -------
    if_right, if_wrong : ndarray of float, shape (items,)
    """
    if choices.flips == "uniform":
        return np.zeros(len(ranks)), np.zeros(len(ranks))
    slope_right, slope_wrong = SLOPES[case.task]
    if_right, if_wrong = slope_right * ranks, slope_wrong * ranks
    if choices.flips == "confidence_and_open_source":
        if_wrong = if_wrong + EMPTY_SLOPE * ranks_within_label(recording) * _is_empty(recording)
    return if_right, if_wrong


def find_anchors(case: Case, recording: Recording, sample: tuple[SampledAnswer, ...]) -> Anchors:
    """Find the sampled items among the recorded ones.

    Parameters
    ----------
    case, recording, sample
        As for `reconstruct`.

    Returns
    -------
    Anchors

    Raises
    ------
    InputError
        If an item's name, label, confidence and answer of 2020 do not belong to exactly one recorded item:
        names alone repeat in COMMAND.
    """
    rows: dict[tuple[str, int, int, float], list[int]] = {}
    for row, key in enumerate(
        zip(
            recording.names,
            recording.labels.tolist(),
            recording.predictions.tolist(),
            recording.confidences.tolist(),
        )
    ):
        rows.setdefault(key, []).append(row)
    items = []
    for answer in sample:
        found = rows.get((answer.name, answer.label, answer.old, answer.confidence), [])
        if len(found) != 1:
            raise InputError(
                f"case {case.case}: sampled item {answer.name!r} belongs to {len(found)} recorded items, expected one"
            )
        items += found
    return Anchors(
        np.array(items, dtype=np.int64), np.array([answer.new for answer in sample], dtype=np.int64)
    )


def count_transitions(
    case: Case,
    recording: Recording,
    published: PublishedPair,
    anchors: Anchors,
    choices: ReconstructionChoices,
) -> Transitions:
    """Find a, b and c from the published figures, and c's share from the sample or by choice.

    Parameters
    ----------
    case, recording, published, choices
        As for `reconstruct`.
    anchors : Anchors
        From `find_anchors`.

    Returns
    -------
    Transitions

    Raises
    ------
    InputError
        If the accuracy of 2020 is not that of the recording, or fewer answers changed than the accuracy moved.
    """
    correct = int(np.count_nonzero(recording.labels == recording.predictions))
    if correct != round(case.items * published.accuracy_2020):
        raise InputError(
            f"case {case.case}: {correct} correct answers recorded in 2020 but an accuracy of "
            f"{published.accuracy_2020} published, expected the same"
        )
    net = round(case.items * published.accuracy_2021) - correct
    changed = round(case.items * (1 - published.overlap))
    slack = changed - abs(net)
    if slack < 0 or (len(case.labels) == 2 and slack % 2):
        raise InputError(
            f"case {case.case}: {changed} answers changed and {net} more are right, which no transitions can give"
        )
    seen = _count(recording.labels[anchors.items], recording.predictions[anchors.items], anchors.new)
    # c is odd when the slack is, for a and b are whole; and each of the three is at least what the sample shows.
    least = seen.to_other + (slack - seen.to_other) % 2
    most = slack - 2 * max(0, seen.to_right - max(net, 0), seen.to_wrong - max(-net, 0))
    if len(case.predicted_labels) == 2:
        most = min(most, 0)
    if least > most:
        raise InputError(
            f"case {case.case}: {changed} answers changed and {net} more are right, which cannot be with {seen} "
            "in the sample"
        )
    if choices.other_wrong is None:
        sampled = seen.to_right + seen.to_wrong + seen.to_other
        prior = PRIOR_WEIGHT * POOLED_OTHER[0] / POOLED_OTHER[1]
        wanted = min(changed * (seen.to_other + prior) / (sampled + PRIOR_WEIGHT), slack * MOST_OTHER)
    else:
        wanted = slack * choices.other_wrong
    nearest = 2 * math.floor((wanted - slack % 2) / 2 + 0.5) + slack % 2
    to_other = min(max(nearest, least), most)
    half = (slack - to_other) // 2
    return Transitions(half + max(net, 0), half + max(-net, 0), to_other)


def middle_ranks(values: Floats) -> Floats:
    """Rank of every value among all, from 0 to 1; equal values share the middle of their ranks.

    Parameters
    ----------
    values : ndarray of float, shape (items,)

    Returns
    -------
    ndarray of float, shape (items,)

    Examples
    --------
    >>> middle_ranks(np.array([0.5, 0.1, 0.5, 0.9]))
    array([0.5  , 0.125, 0.5  , 0.875])
    """
    ordered = np.sort(values)
    below = np.searchsorted(ordered, values, side="left")
    up_to = np.searchsorted(ordered, values, side="right")
    return (below + up_to) / (2 * len(values))


def change_probabilities(
    total: int,
    candidates: Flags,
    groups: Integers,
    log_odds: Floats,
    *,
    known: Flags,
    known_changed: Flags,
) -> Floats:
    """Give every candidate the probability that its answer changed, so that they sum to what is left of a total.

    The curve alone gives the log odds ``intercept + log_odds``. A group whose known items changed more or less
    often than the curve expects has its log odds moved by the logarithm of
    ``(observed + w s) / (expected + w s)``, where s is the group's share of the changes by the curve alone and
    w is `PRIOR_WEIGHT`: a group that was not sampled keeps the curve. Then one intercept meets the total.

    Parameters
    ----------
    total : int
        Changes among all candidates, the known ones included.
    candidates : ndarray of bool, shape (items,)
    groups : ndarray of int64, shape (items,)
        Group of every item.
    log_odds : ndarray of float, shape (items,)
        The curve, without its intercept.
    known : ndarray of bool, shape (items,)
        Items whose change is known; they get probability 0, for nothing is left to draw.
    known_changed : ndarray of bool, shape (items,)
        Whether a known item changed.

    Returns
    -------
    ndarray of float, shape (items,)

    Raises
    ------
    InputError
        If more changes are known than the total, or more are left than candidates.
    """
    drawn, sampled = candidates & ~known, candidates & known
    changed = sampled & known_changed
    left = total - int(np.count_nonzero(changed))
    if not 0 <= left <= np.count_nonzero(drawn):
        raise InputError(
            f"{total} answers of a kind changed, {total - left} of them in the sample: impossible with "
            f"{np.count_nonzero(drawn)} others"
        )
    probabilities = np.zeros(len(groups))
    if left == 0:
        return probabilities
    moved = log_odds[drawn]
    if 0 < np.count_nonzero(changed) < np.count_nonzero(sampled):
        cells = int(groups.max()) + 1
        observed = np.bincount(groups[changed], minlength=cells)
        in_sample = with_total(log_odds[sampled], int(np.count_nonzero(changed)))
        expected = np.bincount(groups[sampled], weights=in_sample, minlength=cells)
        by_curve = np.bincount(groups[drawn], weights=with_total(moved, left), minlength=cells)
        prior = PRIOR_WEIGHT * by_curve / left
        present = prior > 0
        ratio = np.ones(cells)
        ratio[present] = (observed[present] + prior[present]) / (expected[present] + prior[present])
        moved = moved + np.log(ratio[groups[drawn]])
    probabilities[drawn] = with_total(moved, left)
    return probabilities


def with_total(log_odds: Floats, total: float) -> Floats:
    """Turn log odds into probabilities that sum to a total, by adding one intercept to all.

    Parameters
    ----------
    log_odds : ndarray of float, shape (items,)
    total : float
        Between 0 and the number of items.

    Returns
    -------
    ndarray of float, shape (items,)

    Examples
    --------
    >>> with_total(np.array([0.0, 0.0, 0.0, 0.0]), 1)
    array([0.25, 0.25, 0.25, 0.25])
    """
    if total <= 0:
        return np.zeros(len(log_odds))
    if total >= len(log_odds):
        return np.ones(len(log_odds))
    low, high = -50.0 - log_odds.max(), 50.0 - log_odds.min()
    for _ in range(100):
        middle = (low + high) / 2
        if np.sum(1 / (1 + np.exp(-(log_odds + middle)))) < total:
            low = middle
        else:
            high = middle
    probabilities: Floats = 1 / (1 + np.exp(-(log_odds + high)))
    return np.minimum(probabilities * (total / np.sum(probabilities)), 1.0)


def ranks_within_label(recording: Recording) -> Floats:
    """Rank of the open-source model's confidence among the items of the same true label, from 0 to 1.

    Parameters
    ----------
    recording : Recording

    Returns
    -------
    ndarray of float, shape (items,)
    """
    ranks = np.empty(len(recording.labels))
    for i in np.unique(recording.labels):
        of_i = recording.labels == i
        ranks[of_i] = middle_ranks(recording.open_source_confidences[of_i])
    return ranks


def label_gains(case: Case, net: int) -> Integers | None:
    """Turn the paper's facts about each label into whole numbers of correct answers gained.

    Parameters
    ----------
    case : Case
    net : int
        Correct answers gained over all labels.

    Returns
    -------
    ndarray of int64, shape (labels,), or None
        Summing to `net`; None if the paper tells nothing of this case.

    Examples
    --------
    Shares of +2.66% and -0.64% of 20,000 items are 532 and -128; they must sum to 402, hence 531 and -129.
    """
    facts = LABEL_FACTS.get(case.case)
    if facts is None:
        return None
    told = {case.labels.index(name): round(share * case.items) for name, share in facts.items()}
    first = told.get(0, net - told.get(1, 0))
    second = told.get(1, net - first)
    first += (net - first - second) // 2
    return np.array([first, net - first], dtype=np.int64)


def meet_label_gains(
    gains: Integers, label: Integers, to_wrong: Floats, to_right: Floats
) -> tuple[Floats, Floats]:
    """Shift the changes between two labels until each label gains what it must.

    Within a label only ``a - b`` is told. Of all whole numbers that give it, those nearest to the expected a
    and b are taken; the curve within the label stays.

    Parameters
    ----------
    gains : ndarray of int64, shape (2,)
        Correct answers that each label is still to gain.
    label : ndarray of int64, shape (items,)
    to_wrong, to_right : ndarray of float, shape (items,)
        From `change_probabilities`.

    Returns
    -------
    to_wrong, to_right : ndarray of float, shape (items,)
        Their sums over each label are whole numbers.
    """
    lost, won = round(to_wrong.sum()), round(to_right.sum())
    first = label == 0
    excess = to_right[first].sum() - to_wrong[first].sum() - gains[0]
    lost_first = round(to_wrong[first].sum() + excess / 2)
    lost_first = int(min(max(lost_first, 0, -gains[0]), lost, won - gains[0]))
    met = []
    for probabilities, of_first, total in (
        (to_wrong, lost_first, lost),
        (to_right, lost_first + gains[0], won),
    ):
        adjusted = probabilities.copy()
        for chosen, target in ((first, of_first), (~first, total - of_first)):
            possible = chosen & (probabilities > 0)
            odds = probabilities[possible] / (1 - probabilities[possible])
            adjusted[possible] = with_total(np.log(odds), target)
        met.append(adjusted)
    return met[0], met[1]


def systematic_draw(
    probabilities: Floats, order: tuple[Floats | Integers, ...], rng: np.random.Generator
) -> Flags:
    """Draw each item with its probability, and exactly as many as the probabilities sum to.

    Systematic sampling: the items are laid on a line, each as long as its probability, and every point at a
    distance 1 from the last is taken, from a random start. Laid in order of group and confidence, the draw is
    spread over both.

    Parameters
    ----------
    probabilities : ndarray of float, shape (items,)
        Summing to a whole number.
    order : tuple of ndarray, each of shape (items,)
        Keys of the order, the most important last; equal items are shuffled.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of bool, shape (items,)
    """
    line = np.lexsort((rng.permutation(len(probabilities)), *order))
    line = line[probabilities[line] > 0]
    drawn = np.zeros(len(probabilities), dtype=bool)
    ends = np.cumsum(probabilities[line])
    points = rng.random() + np.arange(round(ends[-1]) if len(ends) else 0)
    drawn[line[np.minimum(np.searchsorted(ends, points, side="right"), len(ends) - 1)]] = True
    return drawn


def draw_wrong_answers(
    case: Case, recording: Recording, anchors: Anchors, drawn: Integers, rng: np.random.Generator
) -> Integers:
    """Draw the wrong answers that items are given.

    The weight of answer j for true label i is the share of j among the errors of i in 2020, plus half its
    share among all errors of 2020, plus the number of sampled items of i that changed to j. The true label and
    the item's old answer are left out.

    Parameters
    ----------
    case, recording, anchors
        As for `count_transitions`.
    drawn : ndarray of int64, shape (drawn,)
        The items.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int64, shape (drawn,)
        Predicted labels.
    """
    shape = (len(case.labels), len(case.predicted_labels))
    label, old = recording.labels, recording.predictions
    errors = _pair_counts(label[old != label], old[old != label], shape)
    changed = anchors.new != old[anchors.items]
    sampled = _pair_counts(label[anchors.items[changed]], anchors.new[changed], shape)
    of_label = errors / np.maximum(errors.sum(axis=1, keepdims=True), 1)
    overall = errors.sum(axis=0) / max(errors.sum(), 1)
    weights = (of_label + OVERALL_WEIGHT * overall + sampled)[label[drawn]]
    items = np.arange(len(drawn))
    weights[items, label[drawn]] = 0
    weights[items, old[drawn]] = 0
    ends = np.cumsum(weights, axis=1)
    if (ends[:, -1] == 0).any():
        raise InputError(
            f"case {case.case}: an answer became wrong but no wrong answer was ever given in 2020"
        )
    # One number in each of m equal parts of [0, 1) for the m items of a label: answers in due proportion.
    numbers = np.empty(len(drawn))
    for i in range(len(case.labels)):
        of_i = np.flatnonzero(label[drawn] == i)
        numbers[of_i] = (rng.permutation(len(of_i)) + rng.random(len(of_i))) / max(len(of_i), 1)
    answers: Integers = np.count_nonzero(ends <= numbers[:, None] * ends[:, -1:], axis=1)
    return answers


def _is_empty(recording: Recording) -> Flags:
    """Whether an answer is empty, and wrong: COMMAND has true background noise too."""
    if recording.empty_answer is None:
        return np.zeros(len(recording.labels), dtype=bool)
    empty: Flags = recording.predictions == recording.empty_answer
    empty &= recording.predictions != recording.labels
    return empty


def _gained(label: Integers, old: Integers, new: Integers) -> Integers:
    """Correct answers gained by each of two labels."""
    right_now = np.bincount(label[new == label], minlength=2)
    return right_now - np.bincount(label[old == label], minlength=2)


def _pair_counts(label: Integers, answer: Integers, shape: tuple[int, int]) -> Integers:
    return np.bincount(label * shape[1] + answer, minlength=shape[0] * shape[1]).reshape(shape)


def _count(label: Integers, old: Integers, new: Integers) -> Transitions:
    """Count the transitions of some items."""
    changed = old != new
    return Transitions(
        to_right=int(np.count_nonzero(changed & (new == label))),
        to_wrong=int(np.count_nonzero(changed & (old == label))),
        to_other=int(np.count_nonzero(changed & (new != label) & (old != label))),
    )


def _check(case: Case, recording: Recording, new: Integers, counts: Transitions) -> None:
    """Compare what was drawn with the totals, as whole numbers."""
    found = _count(recording.labels, recording.predictions, new)
    if found != counts:
        raise RuntimeError(f"case {case.case}: reconstructed {found}, expected {counts}")
