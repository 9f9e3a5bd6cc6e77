"""The reconstruction of 2021: totals exact, samples kept, draws with the probabilities they should have."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adaptive_sampling.cases import Case, read_cases
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.flip_curve import fit_slope
from adaptive_sampling.recordings.frugalml import Recording
from adaptive_sampling.recordings.published import PublishedPair, SampledAnswer
from adaptive_sampling.recordings.reconstruct import (
    PRIOR_WEIGHT,
    Anchors,
    ReconstructionChoices,
    change_probabilities,
    count_transitions,
    draw_wrong_answers,
    find_anchors,
    label_gains,
    meet_label_gains,
    middle_ranks,
    ranks_within_label,
    reconstruct,
    systematic_draw,
    with_total,
)

CASES = read_cases(Path(__file__).parents[2] / "config/cases.csv")
NO_ANCHORS = Anchors(np.zeros(0, np.int64), np.zeros(0, np.int64))


def made_up(base: str, items: int, seed: int, accuracy: float) -> tuple[Case, Recording]:
    """Make a recording of a case's shape: less confident answers are more often wrong."""
    case = replace(CASES[base], items=items)
    rng = np.random.default_rng(seed)
    labels = np.sort(rng.integers(len(case.labels), size=items))
    confidences = np.round(rng.random(items), 2)
    wrong = rng.random(items) > accuracy + 0.2 * (confidences - 0.5)
    predictions = np.where(wrong, rng.integers(len(case.predicted_labels), size=items), labels)
    recording = Recording(
        names=tuple(f"item {row}" for row in range(items)),
        labels=labels,
        predictions=predictions,
        confidences=confidences,
        open_source_confidences=rng.random(items),
        empty_answer=10 if case.task == "scr" else None,
    )
    return case, recording


def shared(recording: Recording, net: int, changed: int) -> PublishedPair:
    """Publish the shares that belong to whole numbers, to nine digits."""
    items = len(recording.labels)
    correct = int(np.count_nonzero(recording.labels == recording.predictions))
    return PublishedPair(
        round(correct / items, 9), round((correct + net) / items, 9), round(1 - changed / items, 9)
    )


def sampled(recording: Recording, changes: list[tuple[int, int]]) -> tuple[SampledAnswer, ...]:
    """Sample the given (row, new answer)."""
    return tuple(
        SampledAnswer(
            name=recording.names[row],
            label=int(recording.labels[row]),
            confidence=float(recording.confidences[row]),
            old=int(recording.predictions[row]),
            new=new,
        )
        for row, new in changes
    )


CHOICES = st.builds(
    ReconstructionChoices,
    other_wrong=st.sampled_from([None, 0.0, 1 / 3, 2 / 3, 1.0]),
    flips=st.sampled_from(["confidence", "uniform", "confidence_and_open_source"]),
    seed=st.integers(0, 1000),
)


@settings(max_examples=60)
@given(
    base=st.sampled_from(["amazon_waimai", "microsoft_ferplus", "google_digit"]),
    seed=st.integers(0, 1000),
    net=st.integers(-60, 60),
    slack=st.integers(0, 60),
    choices=CHOICES,
)
def test_totals_are_exact_and_the_sample_keeps_its_answers(
    base: str, seed: int, net: int, slack: int, choices: ReconstructionChoices
) -> None:
    case, recording = made_up(base, 1500, seed, accuracy=0.7)
    if len(case.labels) == 2:
        slack -= slack % 2
    changed = abs(net) + slack
    rng = np.random.default_rng(seed)
    rows = rng.choice(1500, size=40, replace=False)
    sample = sampled(recording, [(int(row), int(recording.predictions[row])) for row in rows])
    new = reconstruct(case, recording, shared(recording, net, changed), sample, choices)
    label, old = recording.labels, recording.predictions
    assert np.count_nonzero(new != old) == changed
    assert np.count_nonzero(new == label) - np.count_nonzero(old == label) == net
    assert (new[rows] == old[rows]).all()
    assert new.min() >= 0
    assert new.max() < len(case.predicted_labels)
    again = reconstruct(case, recording, shared(recording, net, changed), sample, choices)
    assert (again == new).all()


def test_another_seed_gives_other_items() -> None:
    case, recording = made_up("google_digit", 2000, 0, accuracy=0.6)
    published = shared(recording, net=100, changed=300)
    first = reconstruct(case, recording, published, (), ReconstructionChoices(seed=1))
    second = reconstruct(case, recording, published, (), ReconstructionChoices(seed=2))
    assert (first != second).any()


def test_changed_samples_are_kept_and_counted() -> None:
    case, recording = made_up("google_digit", 2000, 3, accuracy=0.6)
    right = np.flatnonzero(recording.predictions == recording.labels)[:20]
    sample = sampled(recording, [(int(row), (int(recording.labels[row]) + 1) % 10) for row in right])
    published = shared(recording, net=-50, changed=80)
    new = reconstruct(case, recording, published, sample, ReconstructionChoices())
    assert (new[right] == (recording.labels[right] + 1) % 10).all()
    assert np.count_nonzero(new != recording.predictions) == 80


def test_less_confident_right_answers_change_more() -> None:
    case, recording = made_up("google_digit", 20_000, 5, accuracy=0.7)
    published = shared(recording, net=-1000, changed=1000)
    halves = {}
    for flips in ("confidence", "uniform"):
        new = reconstruct(case, recording, published, (), ReconstructionChoices(flips=flips))
        lost = (recording.predictions == recording.labels) & (new != recording.labels)
        ranks = middle_ranks(recording.confidences)
        pairs = np.zeros(len(lost), int)[recording.predictions == recording.labels]
        right = recording.predictions == recording.labels
        halves[flips] = fit_slope(ranks[right], lost[right], pairs)
    slope, error = halves["confidence"]
    assert abs(slope + 6.5) < 3 * error
    slope, error = halves["uniform"]
    assert abs(slope) < 3 * error


def test_a_label_the_api_never_gives_cannot_be_right() -> None:
    """Google sees no disgust and no fear in 2020: those items may change, but not to the truth."""
    case, recording = made_up("google_expw", 4000, 2, accuracy=0.6)
    never = np.isin(recording.predictions, [1, 2])
    recording = replace(recording, predictions=np.where(never, 6, recording.predictions))
    new = reconstruct(case, recording, shared(recording, -100, 700), (), ReconstructionChoices())
    assert not np.isin(new, [1, 2]).any()
    unseen = np.isin(recording.labels, [1, 2])
    assert np.count_nonzero(new[unseen] != recording.predictions[unseen]) > 0


@given(items=st.integers(2000, 3000), net=st.integers(-300, 300), slack=st.integers(0, 400), choices=CHOICES)
def test_transitions_solve_the_two_equations(
    items: int, net: int, slack: int, choices: ReconstructionChoices
) -> None:
    case, recording = made_up("google_digit", items, 0, accuracy=0.6)
    changed = abs(net) + slack
    found = count_transitions(case, recording, shared(recording, net, changed), NO_ANCHORS, choices)
    assert found.to_right - found.to_wrong == net
    assert found.to_right + found.to_wrong + found.to_other == changed
    assert min(found.to_right, found.to_wrong, found.to_other) >= 0
    solutions = [
        changed - (b + net) - b for b in range(changed + 1) if b + net >= 0 and changed - (b + net) - b >= 0
    ]
    wanted = slack * choices.other_wrong if choices.other_wrong is not None else None
    if wanted is not None:
        assert abs(found.to_other - wanted) == min(abs(c - wanted) for c in solutions)
    else:
        # No sample: the pooled share, or the most that is allowed.
        wanted = min(changed * 15 / 142, slack * 2 / 3)
        assert abs(found.to_other - wanted) == min(abs(c - wanted) for c in solutions)


def test_the_sample_moves_the_share_of_other_wrong() -> None:
    """By hand: 5 of 12 changes go to another wrong answer; (5 + 4 * 15/142) / (12 + 4) of 400 is 135.6."""
    case, recording = made_up("google_digit", 2000, 0, accuracy=0.5)
    wrong = np.flatnonzero(recording.predictions != recording.labels)[:12]
    other = [
        int(next(j for j in range(10) if j not in (recording.labels[row], recording.predictions[row])))
        for row in wrong[:5]
    ]
    new = [*other, *recording.labels[wrong[5:]].tolist()]
    anchors = find_anchors(case, recording, sampled(recording, list(zip(wrong.tolist(), new))))
    found = count_transitions(case, recording, shared(recording, 0, 400), anchors, ReconstructionChoices())
    assert (found.to_right, found.to_wrong, found.to_other) == (132, 132, 136)


def test_c_is_as_near_to_the_choice_as_the_sample_allows() -> None:
    case, recording = made_up("google_digit", 2000, 0, accuracy=0.5)
    wrong = np.flatnonzero(recording.predictions != recording.labels)[:5]
    right = np.flatnonzero(recording.predictions == recording.labels)[:7]
    other = [
        (int(row), next(j for j in range(10) if j not in (recording.labels[row], recording.predictions[row])))
        for row in wrong
    ]
    lost = [(int(row), 10) for row in right]
    anchors = find_anchors(case, recording, sampled(recording, other + lost))
    published = shared(recording, 0, 100)
    least = count_transitions(case, recording, published, anchors, ReconstructionChoices(other_wrong=0))
    assert (least.to_right, least.to_wrong, least.to_other) == (47, 47, 6)
    most = count_transitions(case, recording, published, anchors, ReconstructionChoices(other_wrong=1))
    assert (most.to_right, most.to_wrong, most.to_other) == (7, 7, 86)


def test_more_known_changes_than_a_total_are_refused() -> None:
    everything = np.ones(10, bool)
    with pytest.raises(InputError, match="5 answers of a kind changed, 10 of them in the sample"):
        change_probabilities(
            5, everything, np.zeros(10, int), np.zeros(10), known=everything, known_changed=everything
        )


def test_two_classes_leave_nothing_open() -> None:
    case, recording = made_up("amazon_waimai", 1000, 0, accuracy=0.8)
    found = count_transitions(
        case, recording, shared(recording, -20, 100), NO_ANCHORS, ReconstructionChoices(other_wrong=2 / 3)
    )
    assert (found.to_right, found.to_wrong, found.to_other) == (40, 60, 0)


def test_contradictions_are_refused() -> None:
    case, recording = made_up("amazon_waimai", 1000, 0, accuracy=0.8)
    choices = ReconstructionChoices()
    with pytest.raises(
        InputError, match=r"correct answers recorded in 2020 but an accuracy of 0\.5 published"
    ):
        reconstruct(case, recording, PublishedPair(0.5, 0.5, 0.9), (), choices)
    with pytest.raises(InputError, match="10 answers changed and 30 more are right"):
        reconstruct(case, recording, shared(recording, 30, 10), (), choices)
    with pytest.raises(InputError, match="31 answers changed and 30 more are right"):
        reconstruct(case, recording, shared(recording, 30, 31), (), choices)
    first = sampled(recording, [(0, int(recording.predictions[0]))])[0]
    with pytest.raises(InputError, match="sampled item 'item 0' belongs to 0 recorded items"):
        find_anchors(case, recording, (replace(first, confidence=0.123),))
    right = np.flatnonzero(recording.predictions == recording.labels)[:30]
    sample = sampled(recording, [(int(row), 1 - int(recording.labels[row])) for row in right])
    with pytest.raises(InputError, match="10 answers changed and 0 more are right, which cannot be with"):
        reconstruct(case, recording, shared(recording, 0, 10), sample, choices)


def test_an_item_is_found_by_name_label_and_confidence() -> None:
    """In COMMAND a name belongs to many items, one for each label at most."""
    case, recording = made_up("google_digit", 3, 0, accuracy=1.0)
    recording = replace(
        recording,
        names=("a", "a", "a"),
        labels=np.array([1, 1, 2]),
        predictions=np.array([1, 1, 2]),
        confidences=np.array([0.5, 0.25, 0.5]),
    )
    sample = (SampledAnswer("a", 2, 0.5, 2, 7), SampledAnswer("a", 1, 0.25, 1, 1))
    anchors = find_anchors(case, recording, sample)
    assert anchors.items.tolist() == [2, 1]
    assert anchors.new.tolist() == [7, 1]
    twins = replace(recording, confidences=np.array([0.25, 0.25, 0.5]))
    with pytest.raises(InputError, match="belongs to 2 recorded items"):
        find_anchors(case, twins, sample)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"other_wrong": 1.1}, "other_wrong: found 1.1"),
        ({"flips": "random"}, "flips: found 'random', allowed are confidence, uniform"),
        ({"seed": -1}, "seed: found -1"),
    ],
)
def test_choices_without_meaning_are_refused(choice: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ReconstructionChoices(**choice)  # type: ignore[arg-type]


def test_the_paper_s_facts_become_whole_numbers() -> None:
    assert label_gains(CASES["amazon_yelp"], 402).tolist() == [-129, 531]
    assert label_gains(CASES["amazon_imdb"], -271).tolist() == [-1250, 979]
    assert label_gains(CASES["amazon_shop"], 940) is None


@given(
    gain=st.integers(-40, 40),
    expected=st.tuples(*[st.floats(1, 60)] * 2),
    seed=st.integers(0, 100),
)
def test_label_gains_are_met_by_the_nearest_whole_numbers(
    gain: int, expected: tuple[float, float], seed: int
) -> None:
    """By brute force over all whole numbers lost by the first label."""
    rng = np.random.default_rng(seed)
    label = np.repeat([0, 1, 0, 1], 100)
    right = np.arange(400) < 200
    lost, won = 80, 70
    to_wrong, to_right = np.zeros(400), np.zeros(400)
    to_wrong[(label == 0) & right] = with_total(rng.normal(size=100), expected[0])
    to_wrong[(label == 1) & right] = with_total(rng.normal(size=100), lost - expected[0])
    to_right[(label == 0) & ~right] = with_total(rng.normal(size=100), expected[1])
    to_right[(label == 1) & ~right] = with_total(rng.normal(size=100), won - expected[1])
    gains = np.array([gain, won - lost - gain])
    new_wrong, new_right = meet_label_gains(gains, label, to_wrong, to_right)
    b, a = new_wrong[label == 0].sum(), new_right[label == 0].sum()
    assert new_wrong.sum() == pytest.approx(lost)
    assert new_right.sum() == pytest.approx(won)
    assert b == pytest.approx(round(b), abs=1e-9)
    assert a - b == pytest.approx(gain)
    distance = [
        (k - expected[0]) ** 2 + (k + gain - expected[1]) ** 2
        for k in range(lost + 1)
        if 0 <= k + gain <= won
    ]
    assert (b - expected[0]) ** 2 + (a - expected[1]) ** 2 == pytest.approx(min(distance), abs=1e-6)


@given(
    log_odds=st.lists(st.floats(-8, 8), min_size=1, max_size=50),
    share=st.floats(0.01, 0.99),
)
def test_one_intercept_meets_the_total(log_odds: list[float], share: float) -> None:
    curve = np.array(log_odds)
    probabilities = with_total(curve, share * len(curve))
    assert probabilities.sum() == pytest.approx(share * len(curve))
    intercepts = np.log(probabilities / (1 - probabilities)) - curve
    assert np.ptp(intercepts) < 1e-6


def test_totals_of_none_and_all() -> None:
    assert with_total(np.array([1.0, 2.0]), 0).tolist() == [0, 0]
    assert with_total(np.array([1.0, 2.0]), 2).tolist() == [1, 1]


def test_without_a_sample_the_curve_alone_decides() -> None:
    log_odds = np.linspace(-3, 0, 30)
    candidates = np.arange(30) >= 10
    unknown = np.zeros(30, bool)
    found = change_probabilities(
        5, candidates, np.zeros(30, int), log_odds, known=unknown, known_changed=unknown
    )
    assert (found[:10] == 0).all()
    assert found[10:] == pytest.approx(with_total(log_odds[10:], 5))


def test_a_sample_moves_the_log_odds_of_its_groups() -> None:
    """By hand, with a flat curve: 3 of 4 sampled changes fall in group 0, half of the items."""
    groups = np.repeat([0, 1], 100)
    known = np.zeros(200, bool)
    known[[0, 1, 2, 3, 4, 100, 101, 102, 103, 104]] = True
    changed = np.zeros(200, bool)
    changed[[0, 1, 2, 100]] = True
    everything = np.ones(200, bool)
    found = change_probabilities(44, everything, groups, np.zeros(200), known=known, known_changed=changed)
    assert found[known].sum() == 0
    assert found.sum() == pytest.approx(40)
    # Expected in the sample: 2 and 2. Share of the changes by the curve: 1/2 and 1/2.
    ratio = ((3 + PRIOR_WEIGHT / 2) / (2 + PRIOR_WEIGHT / 2)) / (
        (1 + PRIOR_WEIGHT / 2) / (2 + PRIOR_WEIGHT / 2)
    )
    odds = found[[50, 150]] / (1 - found[[50, 150]])
    assert odds[0] / odds[1] == pytest.approx(ratio)


def test_a_group_outside_the_sample_keeps_the_curve() -> None:
    groups = np.repeat([0, 1, 2], 100)
    known, changed = np.zeros(300, bool), np.zeros(300, bool)
    known[:20] = True
    changed[:4] = True
    found = change_probabilities(
        60, np.ones(300, bool), groups, np.zeros(300), known=known, known_changed=changed
    )
    assert found[150] == found[250]
    # The one sampled group changed as expected of it: no group is moved.
    assert found[50] == pytest.approx(found[150])


def test_a_systematic_draw_takes_each_item_with_its_probability() -> None:
    rng = np.random.default_rng(11)
    probabilities = with_total(rng.normal(size=40), 12)
    order = (rng.random(40).round(1), np.repeat([0, 1], 20))
    draws = np.array([systematic_draw(probabilities, order, rng) for _ in range(4000)])
    assert (draws.sum(axis=1) == 12).all()
    error = np.sqrt(probabilities * (1 - probabilities) / 4000)
    assert (np.abs(draws.mean(axis=0) - probabilities) < 5 * error).all()
    # Spread over the order: each half gets its expected number, to within one.
    expected = probabilities[:20].sum()
    assert (np.abs(draws[:, :20].sum(axis=1) - expected) < 1).all()


def test_a_systematic_draw_of_nothing_and_of_all() -> None:
    rng = np.random.default_rng(0)
    order = (np.zeros(5),)
    assert not systematic_draw(np.zeros(5), order, rng).any()
    assert systematic_draw(np.ones(5), order, rng).all()


def test_wrong_answers_come_in_the_proportion_of_the_weights() -> None:
    """By hand: label 0 was heard as 1 three times and as 2 once; label 1 as 2 four times."""
    case = replace(CASES["google_digit"], items=1000)
    labels = np.zeros(1000, int)
    labels[:100] = 1
    predictions = labels.copy()
    predictions[:4] = 2
    predictions[100:103], predictions[103] = 1, 2
    recording = Recording((), labels, predictions, np.zeros(1000), np.zeros(1000), 10)
    anchors = Anchors(np.array([200]), np.array([5]))
    drawn = np.arange(300, 1000)
    answers = draw_wrong_answers(case, recording, anchors, drawn, np.random.default_rng(0))
    # Of label 0: 3/4 and 1/4; of all errors, with weight one half: 3/8 as 1 and 5/8 as 2; one sampled as 5.
    weights = np.array([0.75 + 0.5 * 3 / 8, 0.25 + 0.5 * 5 / 8, 1.0])
    counts = np.bincount(answers, minlength=11)[[1, 2, 5]]
    assert counts.sum() == 700
    assert (np.abs(counts - 700 * weights / weights.sum()) <= 1).all()


def test_a_wrong_answer_is_never_the_truth_nor_the_old_one() -> None:
    case, recording = made_up("google_digit", 3000, 4, accuracy=0.5)
    drawn = np.arange(3000)
    answers = draw_wrong_answers(case, recording, NO_ANCHORS, drawn, np.random.default_rng(0))
    assert not (answers == recording.labels).any()
    assert not (answers == recording.predictions).any()
    assert set(answers) == set(range(11))


def test_middle_ranks_share_ties() -> None:
    values = np.array([0.2, 0.2, 0.7, 0.0, 0.2])
    below = (values[:, None] > values).sum(axis=1)
    equal = (values[:, None] == values).sum(axis=1)
    assert middle_ranks(values) == pytest.approx((below + equal / 2) / 5)


def test_open_source_ranks_are_within_the_label() -> None:
    _, recording = made_up("google_digit", 500, 0, accuracy=0.5)
    ranks = ranks_within_label(recording)
    for i in range(10):
        assert ranks[recording.labels == i].mean() == pytest.approx(0.5)


def test_the_slope_is_the_maximum_likelihood_one() -> None:
    """Against a grid, with the intercept of each pair maximised by bisection on its score."""
    rng = np.random.default_rng(7)
    rank, pair = rng.random(300), np.repeat([0, 1, 2], 100)
    changed = rng.random(300) < 1 / (1 + np.exp(-(np.array([0.5, -0.5, 1.0])[pair] - 3 * rank)))
    slope, error = fit_slope(rank, changed, pair)

    def likelihood(candidate: float) -> float:
        total = 0.0
        for p in range(3):
            probability = with_total(candidate * rank[pair == p], int(changed[pair == p].sum()))
            total += np.log(np.where(changed[pair == p], probability, 1 - probability)).sum()
        return total

    grid = np.linspace(slope - 1, slope + 1, 401)
    profile = np.array([likelihood(candidate) for candidate in grid])
    assert grid[profile.argmax()] == pytest.approx(slope, abs=0.006)
    # The curvature of the profile at its top is the inverse of the squared standard error.
    curvature = np.polyfit(grid[180:221] - slope, profile[180:221], 2)[0]
    assert (-2 * curvature) ** -0.5 == pytest.approx(error, rel=0.02)
