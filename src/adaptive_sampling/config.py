"""The settings of a run, checked whole before anything starts.

Standard library and jsonschema only: this runs while the workflow is being planned.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from adaptive_sampling.errors import InputError

Config = Mapping[str, Any]


def check_config(config: Config, schemas: str | Path) -> None:
    """Raise `InputError` unless the settings fit the strict schema.

    Parameters
    ----------
    config : mapping
        As read from YAML.
    schemas : str or Path
        Folder with ``config.schema.json`` and the schemas it refers to.

    Raises
    ------
    InputError
        One sentence: the key, what was found, and what is allowed.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match
    from referencing import Registry, Resource

    documents = {
        path.name: json.loads(path.read_text("utf-8")) for path in Path(schemas).glob("*.schema.json")
    }
    registry: Registry[Any] = Registry().with_resources(
        (name, Resource.from_contents(document)) for name, document in documents.items()
    )
    validator = Draft202012Validator(documents["config.schema.json"], registry=registry)
    error = best_match(validator.iter_errors(config))
    if error is not None:
        raise InputError(f"config: {_sentence(error)}")


def _sentence(error: Any) -> str:
    """Say in one sentence what a schema error means to the person who wrote the config."""
    path = ".".join(str(part) for part in error.absolute_path)
    found, rule, allowed = _shown(error.instance), error.validator, error.validator_value
    if rule == "additionalProperties":
        known = sorted(error.schema["properties"])
        unknown = ", ".join(
            sorted(
                repr(key)[1:-1] if isinstance(key, str) else str(key)
                for key in error.instance
                if key not in known
            )
        )
        where = f" in {path}" if path else ""
        return f"unknown key {unknown}{where}, allowed are {', '.join(known)}"
    if rule == "required":
        missing = ", ".join(key for key in allowed if key not in error.instance)
        return f"key {path + '.' if path else ''}{missing} is missing"
    if rule == "type":
        hint = ""
        if isinstance(error.instance, str) and allowed in ("number", "integer"):
            hint = " (YAML reads a number in quotes, or 1e-5 without a point, as text: write 1.0e-5)"
        return f"key {path}: found {found}, allowed is a value of type {allowed}{hint}"
    if rule == "enum":
        return f"key {path}: found {found}, allowed are {', '.join(map(str, allowed))}"
    bounds = {
        "minimum": "at least {}",
        "maximum": "at most {}",
        "exclusiveMinimum": "more than {}",
        "exclusiveMaximum": "less than {}",
        "minItems": "at least {} entry",
        "minLength": "at least {} character",
        "pattern": "text that fits {}",
        "uniqueItems": "entries that differ from each other",
    }
    text = bounds[rule].format(allowed) if rule in bounds else f"what {rule} {allowed} says"
    return f"key {path}: found {found}, allowed is {text}"


def _shown(value: object) -> str:
    """Write a value as the config would, cut short where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."
