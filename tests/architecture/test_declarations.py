"""What is declared and documented is what the code uses: packages, settings, look."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import AliasChoices, BaseModel

from policypal.config import Settings
from tests.architecture.source_files import ROOT, imported_modules, parsed, product_modules
from tests.support.tasks import all_tasks

_REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*[<>=~!]")


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _required(file: str) -> set[str]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return {_canonical(match[1]) for line in lines if (match := _REQUIREMENT.match(line))}


def _setting_names() -> list[str]:
    """The environment variables of the settings, first spelling of each."""
    names = []
    for field in Settings.model_fields.values():
        assert isinstance(field.validation_alias, AliasChoices)
        names.append(str(field.validation_alias.choices[0]))
    return names


def test_every_imported_package_is_required() -> None:
    """Not counting on what another package happens to bring along."""
    providers = packages_distributions()
    required = _required("requirements.txt") | _required("requirements-ocr.txt")
    imported = {name.split(".")[0] for path in product_modules() for name in imported_modules(parsed(path))}
    third_party = imported - sys.stdlib_module_names - {"policypal"}
    undeclared = {
        name for name in third_party if not {_canonical(dist) for dist in providers.get(name, [name])} & required
    }
    assert not undeclared


_NEEDED_BY_OTHERS = {
    "lxml-html-clean": "trafilatura imports it",
    "pystemmer": "snowballstemmer uses it where it is there",
}


def test_every_required_package_is_imported_or_named_with_a_reason() -> None:
    providers = packages_distributions()
    imported = {name.split(".")[0] for path in product_modules() for name in imported_modules(parsed(path))}
    used = {_canonical(dist) for name in imported for dist in providers.get(name, [])}
    assert _required("requirements.txt") - used == set(_NEEDED_BY_OTHERS)


def test_m3_a_model_is_asked_for_nothing_that_nobody_reads() -> None:
    """Every field of every output a task asks for is read somewhere outside the tests."""
    outputs = {model for task in all_tasks() for model in _models(task.output)}
    read = {
        node.attr
        for path in product_modules()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    assert len(outputs) > 15
    assert not {f"{model.__name__}.{name}" for model in outputs for name in model.model_fields if name not in read}


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """A model and those of its fields, at any depth."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from _models(field.annotation)
    for argument in get_args(annotation):
        yield from _models(argument)


def test_every_requirement_has_an_exact_constraint() -> None:
    pinned = {line.split("==")[0] for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line}
    wanted = _required("requirements.txt") | _required("requirements-dev.txt")
    assert wanted
    assert not wanted - {_canonical(name) for name in pinned}


@pytest.mark.parametrize("name", _setting_names())
@pytest.mark.parametrize("file", [".env.example", "README.md"])
def test_every_setting_is_documented(name: str, file: str) -> None:
    assert re.search(rf"\b{name}\b", (ROOT / file).read_text(encoding="utf-8"))


def test_x3_example_environment_is_valid_and_holds_no_values() -> None:
    """Copying the example unchanged must leave PolicyPal keyless and at its defaults (R1)."""
    written = [line for line in (ROOT / ".env.example").read_text(encoding="utf-8").splitlines() if line[:1] not in "#"]
    assert not [line for line in written if line.strip()]


def _streamlit_options() -> dict[str, object]:
    options: dict[str, object] = {}

    def flatten(prefix: str, table: dict[str, object]) -> None:
        for key, value in table.items():
            name = f"{prefix}.{key}" if prefix else key
            if isinstance(value, dict):
                flatten(name, value)
            else:
                options[name] = value

    flatten("", tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8")))
    return options


def test_every_streamlit_option_exists_in_this_version() -> None:
    """Streamlit only logs an unknown option, so a renamed safety switch would be lost silently."""
    from streamlit import config

    assert not set(_streamlit_options()) - set(config.get_config_options())


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("client.showErrorDetails", "none"),
        ("client.disableDataExport", True),
        ("runner.enforceSerializableSessionState", True),
        ("browser.gatherUsageStats", False),
        ("server.showEmailPrompt", False),
        ("server.address", "localhost"),
        ("server.enableXsrfProtection", True),
    ],
)
def test_safety_options_are_set(option: str, value: object) -> None:
    assert _streamlit_options()[option] == value


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    """WCAG 2 contrast ratio of two ``#RRGGBB`` colours, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_u8_text_links_and_primary_buttons_have_readable_contrast(theme: str) -> None:
    options = _streamlit_options()

    def colour(name: str) -> str:
        return str(options[f"theme.{theme}.{name}"])

    grounds = [colour("backgroundColor"), colour("secondaryBackgroundColor"), colour("sidebar.backgroundColor")]
    for ground in grounds:
        assert _contrast(colour("textColor"), ground) >= 7
        assert _contrast(colour("linkColor"), ground) >= 4.5
    assert _contrast("#FFFFFF", colour("primaryColor")) >= 4.5


def test_r1_shell_entry_point_is_executable() -> None:
    assert Path(ROOT / ".ci/run").stat().st_mode & 0o111
