"""Cheap models run here: read what the APIs saw, score it, and never by a model that has seen the answer."""

import io
import os
import subprocess
import tarfile
import wave
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from adaptive_sampling.cases import read_cases
from adaptive_sampling.difficulty import bixin
from adaptive_sampling.difficulty.answers import ANSWER_COLUMNS, verified, write_answers
from adaptive_sampling.difficulty.pocketsphinx import pocketsphinx_answers
from adaptive_sampling.difficulty.raw_items import RATE, read_sounds, read_texts
from adaptive_sampling.difficulty.sources import COMPUTED, RAW_FILES, computed_for, difficulty_of, raw_files
from adaptive_sampling.difficulty.study import difficulty_study, with_models
from adaptive_sampling.difficulty.trained import (
    cross_fitted,
    spectrum,
    trained_sound_answers,
    trained_text_answers,
)
from adaptive_sampling.difficulty.vader import CHUNK, vader_answers
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.fetch import read_versions
from adaptive_sampling.recordings.frugalml import read_confidences, read_labels, read_names
from adaptive_sampling.recordings.recorded import check_same
from adaptive_sampling.recordings.replay import read_replay_table
from adaptive_sampling.shift.experiment import Setting
from adaptive_sampling.shift.samplers import Parameters
from adaptive_sampling.tables import read_table

CASES = read_cases("config/cases.csv")


def reviews(path, members):
    with tarfile.open(path, "w:gz") as archive:
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


def test_reviews_are_told_apart_by_name_and_label(tmp_path):
    path = reviews(
        tmp_path / "a.tar.gz",
        {
            "aclImdb/test/neg/0_2.txt": "bad",
            "aclImdb/test/pos/0_2.txt": "good",
            "aclImdb/train/pos/0_2.txt": "another",
            "aclImdb/test/urls_pos.txt": "no review",
        },
    )
    assert read_texts("IMDB", path, ["0_2.txt", "0_2.txt"], np.array([0, 1])) == ["good", "bad"]
    with pytest.raises(InputError, match=r"no review aclImdb/test/neg/9_9\.txt"):
        read_texts("IMDB", path, ["9_9.txt"], np.array([1]))
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(InputError, match="cut short"):
        read_texts("IMDB", path, ["0_2.txt"], np.array([0]))


def test_lines_are_split_as_the_apis_saw_them(tmp_path):
    """Of WAIMAI all after the first comma, quotes kept; of SHOP the third field, cut at its comma."""
    waimai = tmp_path / "waimai.csv"
    waimai.write_text('label,review\n1,"好,吃"\n0,慢\n')
    assert read_texts("WAIMAI", waimai, ["WAIMAI_2.txt", "WAIMAI_1.txt"], np.zeros(2)) == ["慢", '"好,吃"']
    shop = tmp_path / "shop.zip"
    with zipfile.ZipFile(shop, "w") as archive:
        archive.writestr("shop.csv", "cat,label,review\n书籍,1,好,看\n书籍,0,\n")
    assert read_texts("SHOP", shop, ["SHOP_1.txt", "SHOP_2.txt"], np.zeros(2)) == ["好", ""]
    with pytest.raises(InputError, match="2 lines, expected 3"):
        read_texts("SHOP", shop, ["SHOP_3.txt"], np.zeros(1))
    with zipfile.ZipFile(shop, "a") as archive:
        archive.writestr("more.csv", "x")
    with pytest.raises(InputError, match="not a zip archive with one file"):
        read_texts("SHOP", shop, ["SHOP_1.txt"], np.zeros(1))


def test_a_zip_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("adaptive_sampling.difficulty.raw_items.MOST_BYTES", 1000)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("shop.csv", "0" * 100_000)
    with pytest.raises(InputError, match="holds more than 1000 bytes"):
        read_texts("SHOP", tmp_path / "bomb.zip", ["SHOP_1.txt"], np.zeros(1))


def test_reviews_that_unpack_to_too_much_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("adaptive_sampling.difficulty.raw_items.MOST_BYTES", 1000)
    path = reviews(tmp_path / "bomb.tar.gz", {f"aclImdb/test/pos/{n}_2.txt": "0" * 400 for n in range(3)})
    with pytest.raises(InputError, match="holds more than 1000 bytes of reviews, refused"):
        read_texts("IMDB", path, ["0_2.txt"], np.array([0]))
    reviews(path, {f"aclImdb/test/pos/{n}_2.txt": "0" * 400 for n in range(2)})
    assert read_texts("IMDB", path, ["0_2.txt"], np.array([0])) == ["0" * 400]


@pytest.mark.parametrize(
    "kind", [tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE]
)
def test_reviews_that_are_links_or_devices_are_not_read(tmp_path, kind):
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("aclImdb/test/pos/0_2.txt")
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
    with pytest.raises(InputError, match=r"no review aclImdb/test/pos/0_2\.txt"):
        read_texts("IMDB", path, ["0_2.txt"], np.array([0]))


def sound_file(path, samples, rate=RATE):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.asarray(samples, dtype="<i2").tobytes())


def test_sounds_are_read_as_they_are(tmp_path):
    sound_file(tmp_path / "0_a_0.wav", [1, -2, 300])
    [sound] = read_sounds(tmp_path, ["DIGIT_0_a_0.wav"])
    assert sound.tolist() == [1, -2, 300]
    sound_file(tmp_path / "0_a_1.wav", [1], rate=16000)
    with pytest.raises(InputError, match=r"expected \(8000, 1, 2\)"):
        read_sounds(tmp_path, ["DIGIT_0_a_1.wav"])
    (tmp_path / "0_a_2.wav").write_text("no sound")
    with pytest.raises(InputError, match="not a readable wav"):
        read_sounds(tmp_path, ["DIGIT_0_a_2.wav"])
    with pytest.raises(InputError, match="no such file"):
        read_sounds(tmp_path, ["DIGIT_0_a_3.wav"])


def test_vader_scores_do_not_depend_on_chunks_or_jobs():
    texts = [("A lovely, lovely film. " if n % 3 else "Awful. ") + str(n) for n in range(CHUNK + 5)]
    prediction, confidence = vader_answers(texts, jobs=2)
    assert prediction.tolist() == [int(n % 3 == 0) for n in range(CHUNK + 5)]
    alone = vader_answers(texts[-5:], jobs=1)
    assert (alone[0] == prediction[-5:]).all()
    assert (alone[1] == confidence[-5:]).all()
    # The rule of 2020: positive at a tie, such as no sentiment at all.
    assert [part.tolist() for part in vader_answers(["table"], jobs=1)] == [[0], [0.0]]


def test_a_model_never_sees_the_item_it_scores():
    """Learning by heart is worthless on random labels only if no item is scored by its own row."""
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(0)
    items, labels = rng.normal(size=(400, 3)), rng.integers(2, size=400)
    model = KNeighborsClassifier(1)
    assert (model.fit(items, labels).predict(items) == labels).all()
    prediction, confidence = cross_fitted(model, items, labels, seed=0, jobs=1)
    assert 0.4 < np.mean(prediction == labels) < 0.6
    assert (confidence == 1).all()
    again, _ = cross_fitted(model, items, labels, seed=0, jobs=2)
    assert (again == prediction).all()


def test_trained_models_learn_texts_and_sounds():
    labels = np.arange(60) % 2
    words = [
        f"{'fine and good' if label == 0 else 'dull and bad'} number {n % 7}"
        for n, label in enumerate(labels)
    ]
    prediction, confidence = trained_text_answers(words, labels, seed=0, jobs=1)
    assert (prediction == labels).all()
    assert ((confidence > 0.5) & (confidence <= 1)).all()
    signs = ["好吃得很" if label == 0 else "太慢难吃" for label in labels]
    assert (trained_text_answers(signs, labels, seed=0, jobs=1)[0] == labels).all()
    time = np.arange(4000) / RATE
    tones = [
        (8000 * np.sin(2 * np.pi * (300 if label == 0 else 2000) * time)).astype(np.int16) for label in labels
    ]
    assert (trained_sound_answers(tones, labels, seed=0, jobs=1)[0] == labels).all()


def test_a_spectrum_has_one_shape_whatever_the_length():
    shapes = {spectrum(np.ones(length, dtype=np.int16)).shape for length in (1, 300, 4000, 20000)}
    assert len(shapes) == 1


def test_bixin_runs_with_seeded_hashes_or_says_what_is_missing(monkeypatch):
    def fails(command, env, **_):
        assert env["PYTHONHASHSEED"] == "0"
        return subprocess.CompletedProcess(
            command, 1, "", "Traceback\nModuleNotFoundError: No module named 'bixin'\n"
        )

    monkeypatch.setattr(bixin.subprocess, "run", fails)
    with pytest.raises(InputError, match=r"No module named 'bixin'.*adaptive-sampling\[chinese\]"):
        bixin.bixin_answers(["好"], jobs=1)

    def scores(command, input, **_):  # noqa: A002
        return subprocess.CompletedProcess(command, 0, "a word of jieba\n[0.0, -0.5, 1.0]", "")

    monkeypatch.setattr(bixin.subprocess, "run", scores)
    prediction, confidence = bixin.bixin_answers(["a", "b", "c"], jobs=1)
    assert (prediction.tolist(), confidence.tolist()) == ([0, 1, 0], [0.0, 0.5, 1.0])


MIRROR = Path(os.environ.get("MIRROR", Path(__file__).parents[3] / "shared/mirror"))


@pytest.mark.mirror
@pytest.mark.skipif(
    find_spec("bixin") is None or not MIRROR.is_dir(), reason="bixin (make models) or the mirror is missing"
)
def test_bixin_gives_the_answers_of_2020_to_the_last_digit():
    """Every eighth item of WAIMAI, in two interpreters."""
    folder = MIRROR / "FrugalML/dataset/mlserviceperformance_WAIMAI"
    items, chosen = CASES["amazon_waimai"].items, slice(None, None, 8)
    labels = read_labels(folder / "Model0_TrueLabel.txt", items, 2)
    names = read_names(folder / "Model0_ImageName.txt", items)
    texts = read_texts("WAIMAI", MIRROR / RAW_FILES["WAIMAI"][0], names, labels)
    prediction, confidence = bixin.bixin_answers(texts[chosen], jobs=2)
    assert (prediction == read_labels(folder / "Model100_PredictedLabel.txt", items, 2)[chosen]).all()
    assert (confidence == read_confidences(folder / "Model100_Confidence.txt", items)[chosen]).all()


@pytest.mark.mirror
@pytest.mark.skipif(
    find_spec("pocketsphinx") is None or not MIRROR.is_dir(),
    reason="pocketsphinx (make models) or the mirror is missing",
)
def test_pocketsphinx_hears_most_digits_and_knows_which():
    """Of 100 recordings spread over all labels; digits guessed at random would be right for 10 of them."""
    files = sorted((MIRROR / RAW_FILES["DIGIT"][0]).glob("*.wav"))[::20]
    sounds = read_sounds(MIRROR / RAW_FILES["DIGIT"][0], [f"DIGIT_{file.name}" for file in files])
    prediction, confidence = pocketsphinx_answers(sounds, jobs=1)
    right = prediction == [int(file.name[0]) for file in files]
    assert right.sum() > 50
    assert ((confidence >= 0) & (confidence <= 1)).all()
    assert confidence[right].mean() > confidence[~right].mean()
    assert (pocketsphinx_answers(sounds, jobs=1)[0] == prediction).all()


def test_answers_keep_every_digit(tmp_path):
    confidence = np.random.default_rng(0).random(50)
    write_answers(pd.DataFrame({"prediction": np.arange(50), "confidence": confidence}), tmp_path / "a.csv")
    assert (read_table(tmp_path / "a.csv", ANSWER_COLUMNS)["confidence"].to_numpy() == confidence).all()


def test_equal_means_label_and_confidence_to_the_last_digit():
    answers = pd.DataFrame({"prediction": [0, 1, 1, 0], "confidence": [0.1, 0.2, 0.3, 0.4]})
    recorded = np.array([0, 1, 0, 0]), np.array([0.1, 0.2, 0.3, np.nextafter(0.4, 1)])
    row = verified("vader", "IMDB", answers, np.array([0, 1, 1, 1]), *recorded)
    assert (row["equal"], row["share_equal"]) == (2, 0.5)
    assert (row["accuracy"], row["recorded_accuracy"]) == (0.75, 0.5)


def test_each_model_is_asked_only_about_what_it_can_read(tmp_path):
    assert computed_for(CASES["amazon_imdb"], ["bixin", "vader", "trained"]) == ("vader", "trained")
    assert computed_for(CASES["google_cmd"], list(COMPUTED)) == ()
    assert difficulty_of(CASES["openai_gpt4"], ["vader"]) == ("none", "trial_division")
    assert difficulty_of(CASES["ibm_digit"], ["trained"]) == (
        "old_api_confidence",
        "open_source_model",
        "trained",
    )
    versions = read_versions("data/versions.csv")
    assert {dataset for datasets in COMPUTED.values() for dataset in datasets} == set(RAW_FILES)
    assert all(path in versions for paths in RAW_FILES.values() for path in paths)
    assert raw_files("IMDB", [tmp_path]) == ("aclImdb/aclImdb_v1.tar.gz",)
    assert versions["aclImdb/aclImdb_v1.tar.gz"].url


def test_the_study_compares_sources_with_none():
    case = CASES["ibm_digit"]
    replay = read_replay_table("data/replay/ibm_digit.csv", case)
    setting = Setting(60, 3000, 100, 0.05, 0.95, 100, seed=1)
    study = difficulty_study(replay, case, K=3, parameters=Parameters(), setting=setting)
    assert study["difficulty"].tolist() == ["none", "old_api_confidence", "open_source_model"]
    assert study["K"].tolist() == [1, 3, 3]
    # Cutting strata finer can only lower the variance of the best allocation.
    assert study["least_variance"][0] == 1
    assert (study["least_variance"][1:] < 1).all()
    ran = pd.DataFrame([{"model": "trained", "dataset": "DIGIT", "accuracy": 0.9, "recorded_accuracy": 0.6}])
    table = with_models([study], ran, [case])
    assert table["model_accuracy"].fillna(-1).tolist() == [-1, -1, 0.6]
    assert table["ratio_to_none"][0] == 1


def test_a_rebuilt_table_that_differs_is_shown_row_by_row(tmp_path):
    shipped = "difficulty,label,level,old,new,items\na,0,0,0,0,5\na,1,0,1,1,4\n"
    (tmp_path / "shipped.csv").write_text(shipped)
    (tmp_path / "rebuilt.csv").write_text(shipped + "vader,0,0,0,0,5\n")
    assert check_same(tmp_path / "rebuilt.csv", tmp_path / "shipped.csv") == 2
    (tmp_path / "rebuilt.csv").write_text(shipped.replace("0,0,5", "0,1,5"))
    with pytest.raises(InputError) as caught:
        check_same(tmp_path / "rebuilt.csv", tmp_path / "shipped.csv")
    assert str(caught.value).endswith("shipped.csv: row 2: found a,0,0,0,1,5, expected a,0,0,0,0,5")
    assert "1 rows differ" in str(caught.value)
    (tmp_path / "rebuilt.csv").write_text(shipped.rpartition("a,")[0])
    with pytest.raises(InputError, match="2 rows differ"):
        check_same(tmp_path / "rebuilt.csv", tmp_path / "shipped.csv")
