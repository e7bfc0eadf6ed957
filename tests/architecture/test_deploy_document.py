"""docs/deploy.md tells what exists: commands, settings, targets (R8)."""

from __future__ import annotations

import re

from policypal.cli.parser import build_parser
from tests.architecture.source_files import ROOT
from tests.architecture.test_declarations import _setting_names

_TEXT = (ROOT / "docs/deploy.md").read_text(encoding="utf-8")


def test_r8_every_command_of_the_deployment_guide_exists() -> None:
    told = re.findall(r"python -m policypal ([a-z]+(?: --json)?)", _TEXT)
    assert {"migrate", "doctor", "doctor --json", "worker"} <= set(told)
    for command in told:
        assert build_parser().parse_args(command.split()).command


def test_r8_every_target_and_setting_of_the_deployment_guide_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("$(VENV)", ".venv")
    targets = re.findall(r"\bmake (?!-)([.\w/-]+)", re.sub(r"[^\n]*<this repository>[^\n]*", "", _TEXT))
    assert targets
    for target in targets:
        assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE), target
    known = {*_setting_names(), "SUPABASE_ANON_KEY"}
    told = re.findall(r"\b(?:POLICYPAL|SUPABASE|OPENAI|TAVILY|EXA|DATABASE|DIRECT)_[A-Z_]+\b", _TEXT)
    assert told and not set(told) - known
