"""Readers of the public files: what they return, and the one sentence on every file that is not as expected."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from adaptive_sampling.cases import Case, read_cases
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.frugalml import correct_answers, read_recording
from adaptive_sampling.recordings.llmdrift import parse_answer, read_language_model
from adaptive_sampling.recordings.published import (
    PublishedPair,
    SampledAnswer,
    accuracy_table,
    overlap_remark,
    published_pair,
    read_published,
    read_sample,
)

CASES = read_cases(Path(__file__).parents[2] / "config/cases.csv")
DIGIT = replace(CASES["google_digit"], items=4)


@pytest.fixture
def frugalml(tmp_path: Path) -> Path:
    """Four digits: heard right, misheard, empty, right."""
    folder = tmp_path / "dataset/mlserviceperformance_DIGIT"
    folder.mkdir(parents=True)
    (folder / "Model0_ImageName.txt").write_text("a.wav,\nb.wav,\nc.wav,\nd.wav")
    (folder / "Model0_TrueLabel.txt").write_text("0\n0\n9\n9\n")
    (folder / "Model0_PredictedLabel.txt").write_text("0\n3\n10\n9\n")
    (folder / "Model0_Confidence.txt").write_text("9.0e-01\n5e-1\n0.000e+00\n1\n")
    (folder / "Model101_Confidence.txt").write_text("1e-1\n2e-1\n3e-1\n4e-1\n")
    return tmp_path


def test_a_recording_is_read_value_by_value(frugalml: Path) -> None:
    recording = read_recording(frugalml, DIGIT)
    assert recording.names == ("a.wav", "b.wav", "c.wav", "d.wav")
    assert recording.labels.tolist() == [0, 0, 9, 9]
    assert recording.predictions.tolist() == [0, 3, 10, 9]
    assert recording.confidences.tolist() == [0.9, 0.5, 0.0, 1.0]
    assert recording.open_source_confidences.tolist() == [0.1, 0.2, 0.3, 0.4]
    assert recording.empty_answer == 10
    assert correct_answers(frugalml, DIGIT) == 2


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("TrueLabel", "0\n0\n9\n", "3 lines, expected 4"),
        ("TrueLabel", "0\n0\n9\n9\n9\n", "5 lines, expected 4"),
        ("TrueLabel", "0\n0\n10\n9\n", "line 3: found '10', expected a whole number from 0 to 9"),
        ("PredictedLabel", "0\n3\n11\n9\n", "line 3: found '11', expected a whole number from 0 to 10"),
        ("PredictedLabel", "0\n-1\n1\n9\n", "line 2: found '-1'"),
        ("PredictedLabel", "0\n1.0\n1\n9\n", "line 2: found '1.0'"),
        ("PredictedLabel", "0\n\n1\n9\n", "line 2: found ''"),
        ("Confidence", "0\nhigh\n0\n1\n", "line 2: found 'high', expected a number from 0 to 1"),
        ("Confidence", "0\n0\nnan\n1\n", "line 3: found 'nan'"),
        ("Confidence", "0\n0\n0\n1.5\n", "line 4: found '1.5'"),
        ("ImageName", "a.wav,\n,\nc.wav,\nd.wav", "line 2: found nothing, expected a name"),
    ],
)
def test_a_wrong_line_is_named(frugalml: Path, file: str, text: str, message: str) -> None:
    path = frugalml / f"dataset/mlserviceperformance_DIGIT/Model0_{file}.txt"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_recording(frugalml, DIGIT)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_missing_and_unreadable_files_are_named(frugalml: Path) -> None:
    path = frugalml / "dataset/mlserviceperformance_DIGIT/Model0_Confidence.txt"
    path.write_bytes(b"\xff\n0\n0\n0\n")
    with pytest.raises(InputError, match=r"Model0_Confidence\.txt: not UTF-8"):
        read_recording(frugalml, DIGIT)
    path.unlink()
    with pytest.raises(InputError, match=r"Model0_Confidence\.txt: no such file"):
        read_recording(frugalml, DIGIT)
    with pytest.raises(InputError, match="case openai_gpt4: no FrugalML names"):
        read_recording(frugalml, CASES["openai_gpt4"])


def explorer(
    folder: Path, dataset: str, api: str, answers: list[tuple[str, str, str, str, str]], key: str
) -> Path:
    """Write a sample of (name, true label, confidence, old, new)."""
    years: dict[str, list[object]] = {"2020": [], "2021": []}
    for name, label, confidence, old, new in answers:
        for year, answer in (("2020", old), ("2021", new)):
            record = {"Confidence": confidence, "TrueLabel": label, "ImageName": f"{name}.wav", key: answer}
            years[year].append({"selected_id": name, api: record})
    path = folder / "data" / dataset / f"explore_{dataset}.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"data": {dataset: years}}))
    return path


def test_a_sample_is_read_with_its_labels_as_indices(tmp_path: Path) -> None:
    answers = [("a", "0", "5e-1", "10", "0"), ("b", "7", "1e-1", "7", "4"), ("b", "7", "1e-1", "7", "4")]
    explorer(tmp_path, "DIGIT", "Google", answers, "OriginalPredictedLabel")
    assert read_sample(tmp_path, DIGIT) == (
        SampledAnswer("a.wav", label=0, confidence=0.5, old=10, new=0),
        SampledAnswer("b.wav", label=7, confidence=0.1, old=7, new=4),
    )


def test_the_sample_s_swapped_names_of_disgust_and_fear_are_put_right(tmp_path: Path) -> None:
    answers = [("a", "fear", "1", "disgusting", "natural")]
    explorer(tmp_path, "FER+", "Microsoft", answers, "PredictedLabel")
    case = CASES["microsoft_ferplus"]
    (answer,) = read_sample(tmp_path, case)
    assert [case.labels[i] for i in (answer.label, answer.old, answer.new)] == ["disgust", "fear", "neutral"]


def test_words_of_the_speech_samples_are_found(tmp_path: Path) -> None:
    explorer(
        tmp_path,
        "COMMAND",
        "Google",
        [("a", "nine", "0", "_background_noise_", "off")],
        "OriginalPredictedLabel",
    )
    (command,) = read_sample(tmp_path, CASES["google_cmd"])
    assert (command.label, command.old, command.new) == (9, 30, 21)
    answers = [("a", "Set language to Chinese", "0", "Washroom lights off", "Bring shoes")]
    explorer(tmp_path, "FLUENT", "IBM", answers, "OriginalPredictedLabel")
    (fluent,) = read_sample(tmp_path, CASES["ibm_fluent"])
    assert (fluent.label, fluent.old, fluent.new) == (26, 16, 30)


def test_a_sample_that_is_not_as_expected_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"explore_DIGIT.json: no such file"):
        read_sample(tmp_path, DIGIT)
    path = explorer(tmp_path, "DIGIT", "Google", [("a", "eleven", "1", "1", "1")], "OriginalPredictedLabel")
    with pytest.raises(InputError, match="found label 'eleven', allowed are zero, one"):
        read_sample(tmp_path, DIGIT)
    data = json.loads(path.read_text())
    data["data"]["DIGIT"]["2021"][0]["selected_id"] = "b"
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match="a in 2020 beside b in 2021"):
        read_sample(tmp_path, DIGIT)
    del data["data"]["DIGIT"]["2021"]
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match="not a sample of both years"):
        read_sample(tmp_path, DIGIT)
    path.write_text("{")
    with pytest.raises(InputError, match="not readable as JSON"):
        read_sample(tmp_path, DIGIT)


def test_published_figures_are_read(tmp_path: Path) -> None:
    sheet = {
        "AccuracyTable": [
            {"value": 0.5, "API": "Google", "Year": 2020, "Dataset": "DIGIT"},
            {"value": 0.75, "API": "Google", "Year": 2021, "Dataset": "DIGIT"},
        ],
        "ConsistencyTable": [
            {"value": 0.25, "API": "Google", "Year": "2020->2021", "Dataset": "DIGIT"},
            {"value": 0.1, "API": "Google", "Year": "2020->2022", "Dataset": "DIGIT"},
        ],
    }
    none: dict[str, list[object]] = {"AccuracyTable": [], "ConsistencyTable": []}
    data = {"Sentiment Analysis": none, "Facial Emotion Recogntion": none, "Speech Recognition": sheet}
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"data": data}))
    published = read_published(path)
    assert published == {("Google", "DIGIT"): PublishedPair(0.5, 0.75, 0.25)}
    assert published_pair(published, DIGIT) == PublishedPair(0.5, 0.75, 0.25)
    with pytest.raises(InputError, match="case ibm_digit: no published accuracy of 'IBM DIGIT'"):
        published_pair(published, CASES["ibm_digit"])
    del data["Sentiment Analysis"]
    path.write_text(json.dumps({"data": data}))
    with pytest.raises(InputError, match="not the published accuracies"):
        read_published(path)


def remark(case: Case, pair: PublishedPair, **others: PublishedPair) -> str:
    published = {(str(case.published_api), str(case.published_dataset)): pair}
    published |= {(str(case.published_api), dataset): other for dataset, other in others.items()}
    return overlap_remark(case, published)


def test_an_overlap_that_cannot_be_right_is_remarked() -> None:
    digit = replace(CASES["google_digit"], items=2000)
    assert remark(digit, PublishedPair(0.301, 0.5425, 0.733)) == ""
    assert remark(digit, PublishedPair(0.301, 0.5425, 0.999)) == (
        "accuracy moves by 483 items but overlap leaves 2 changed"
    )
    odd = PublishedPair(0.5, 0.5, 0.7333333)
    assert remark(digit, odd) == "overlap is no whole number of items"
    assert (
        remark(digit, odd, AMNIST=odd, FLUENT=PublishedPair(0.5, 0.5, 0.1))
        == "overlap is the value of AMNIST"
    )
    command = CASES["google_cmd"]
    assert (
        remark(command, PublishedPair(0.8, 0.8, 1 - 3470 / 64180)) == "overlap measured on 64180 of the items"
    )


def test_the_accuracy_table_holds_the_figures_digit_for_digit() -> None:
    pair = PublishedPair(0.301, 0.5425, 0.733)
    cases = [CASES["google_digit"], CASES["openai_gpt4"]]
    table = accuracy_table(cases, {("Google", "DIGIT"): pair})
    (row,) = table.to_dict("records")
    assert (row["accuracy_2020"], row["accuracy_2021"], row["overlap"]) == ("0.301", "0.5425", "0.733")
    assert (row["case"], row["api"], row["dataset"], row["items"]) == (
        "google_digit",
        "Google",
        "DIGIT",
        2000,
    )


@pytest.fixture
def language_models(tmp_path: Path) -> Path:
    question = "Is {} a prime number? Think step by step."
    rows = [
        ("openaichat/gpt-4-0314", "composite", 501, question.format(9), "No"),
        ("openaichat/gpt-4-0314", "prime", 2, question.format(7), "steps ... [Yes]"),
        ("openaichat/gpt-4-0613", "prime", 2, question.format(7), "[No]"),
        ("openaichat/gpt-4-0613", "composite", 501, question.format(9), "[yes] rather [NO]"),
        ("openaichat/gpt-3.5-turbo-0301", "prime", 2, question.format(7), "[No]"),
    ]
    path = tmp_path / "answers.csv"
    pd.DataFrame(rows, columns=["model", "dataset", "id", "query", "answer"]).to_csv(path, index=False)
    return path


def test_language_models_are_read_question_by_question(language_models: Path) -> None:
    recording = read_language_model(language_models, replace(CASES["openai_gpt4"], items=2))
    assert recording.numbers.tolist() == [7, 9]
    assert recording.labels.tolist() == [0, 1]
    assert recording.old.tolist() == [0, 2]
    assert recording.new.tolist() == [1, 1]


def test_language_model_files_that_are_not_as_expected_are_refused(language_models: Path) -> None:
    two = replace(CASES["openai_gpt4"], items=2)
    with pytest.raises(InputError, match="no such file"):
        read_language_model(language_models.with_name("absent.csv"), two)
    with pytest.raises(InputError, match="2 answers of openaichat/gpt-4-0314 to 2 questions, expected 3"):
        read_language_model(language_models, replace(two, items=3))
    table = pd.read_csv(language_models)
    table.assign(query="What is 7?").to_csv(language_models, index=False)
    with pytest.raises(InputError, match="question 'What is 7\\?' of 'prime', expected 'Is N a prime"):
        read_language_model(language_models, two)
    table.assign(query=np.arange(5).astype(str)).to_csv(language_models, index=False)
    with pytest.raises(InputError, match="asked different questions"):
        read_language_model(language_models, two)
    table.drop(columns="answer").to_csv(language_models, index=False)
    with pytest.raises(InputError, match="not the recorded answers"):
        read_language_model(language_models, two)


@pytest.mark.parametrize(
    ("text", "answer"),
    [("[Yes]", 0), ("[No]", 1), ("[No] then [Yes]", 0), ("Yes", 2), ("", 2), ("[yes].\n\n[nO]", 1)],
)
def test_the_last_bracketed_word_is_the_answer(text: str, answer: int) -> None:
    assert parse_answer(text) == answer
