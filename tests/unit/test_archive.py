"""Archives are opened, but nothing in them is trusted (D1, D7)."""

from __future__ import annotations

import io
import tracemalloc
import zipfile

import docx
import pytest

from policypal.domain.documents import FoundFile
from policypal.errors import DocumentRejected
from policypal.ingest.archive import ArchiveLimits, files_in, is_archive
from tests.support.zip_factory import encrypted, raw_named, understated, zipped

LIMITS = ArchiveLimits()
RULE = b"A bank must keep its records for seven years."


def found(data: bytes, name: str = "rules.zip", limits: ArchiveLimits = LIMITS) -> dict[str, bytes | str]:
    """What lies in an archive: the bytes of each file, or the sentence about what is wrong with it."""
    return {file.path: _content(file) for file in files_in(name, io.BytesIO(data), limits)}


def _content(file: FoundFile) -> bytes | str:
    try:
        return file.read()
    except DocumentRejected as problem:
        return problem.message


def test_d1_files_come_with_the_folders_they_lie_in() -> None:
    data = zipped({"2024/": b"", "2024/a.txt": RULE, "b.txt": b"Other."})
    files = list(files_in("rules.zip", io.BytesIO(data), LIMITS))
    assert [(f.path, f.folder, f.name) for f in files] == [
        ("rules.zip/2024/a.txt", ("2024",), "a.txt"),
        ("rules.zip/b.txt", (), "b.txt"),
    ]


def test_d1_what_systems_leave_behind_is_passed_over_and_everything_else_is_not() -> None:
    names = ("__MACOSX/._a.txt", ".DS_Store", "x/Thumbs.db", "x/desktop.ini", ".git/config", "~$draft.docx", "x/y.bin")
    assert list(found(zipped(dict.fromkeys(names, RULE)))) == ["rules.zip/x/y.bin"]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("../../etc/passwd", "passwd"),
        ("/etc/passwd", "passwd"),
        ("C:\\Windows\\system.txt", "system.txt"),
        ("a/../../b.txt", "b.txt"),
        ("a\\b.txt", "a/b.txt"),
        ("./a//b.txt", "a/b.txt"),
        ("a/line\nbreak\x1b.txt", "a/linebreak.txt"),
        ("政策/سياسة 🙂.txt", "政策/سياسة 🙂.txt"),
    ],
)
def test_d7_a_name_stays_inside_its_archive(name: str, path: str) -> None:
    assert found(zipped({name: RULE})) == {f"rules.zip/{path}": RULE}


def test_d7_a_name_that_is_nothing_but_a_way_out_is_passed_over() -> None:
    assert found(zipped({"../..": RULE, "..": RULE, "a.txt": RULE})) == {"rules.zip/a.txt": RULE}


@pytest.mark.parametrize(
    ("raw", "name"), [("Größe.txt".encode("cp437"), "Größe.txt"), ("Größe.txt".encode(), "Größe.txt")]
)
def test_d1_names_of_older_programs_are_read_in_their_encoding(raw: bytes, name: str) -> None:
    assert found(raw_named({raw: RULE})) == {f"rules.zip/{name}": RULE}


def test_d1_archives_in_archives_are_opened_to_the_stated_depth() -> None:
    deepest = zipped({"c.txt": RULE})
    data = zipped({"a.txt": RULE, "in.zip": zipped({"b.txt": RULE, "deeper.zip": deepest})})
    files = found(data)
    assert files["rules.zip/a.txt"] == files["rules.zip/in.zip/b.txt"] == RULE
    assert "2 levels deep" in str(files["rules.zip/in.zip/deeper.zip"])
    assert len(files) == 3


def test_d7_a_word_document_is_no_archive() -> None:
    stream = io.BytesIO()
    docx.Document().save(stream)
    word = stream.getvalue()
    assert not is_archive("policy.zip", stream)
    assert found(zipped({"policy.docx": word, "renamed.bin": word})) == {
        "rules.zip/policy.docx": word,
        "rules.zip/renamed.bin": word,
    }


def test_d7_a_damaged_and_a_good_member_each_get_their_own_answer() -> None:
    good = zipped({"good.txt": RULE, "bad.txt": b"Some text that will be damaged."}, zipfile.ZIP_STORED)
    files = found(good.replace(b"will be damaged", b"will be DAMAGED"))
    assert files["rules.zip/good.txt"] == RULE
    assert "damaged" in str(files["rules.zip/bad.txt"])


def test_d7_a_bomb_is_left_out_and_its_neighbour_is_not() -> None:
    files = found(zipped({"bomb.txt": bytes(30 << 20), "good.txt": RULE}))
    assert "to do harm" in str(files["rules.zip/bomb.txt"])
    assert files["rules.zip/good.txt"] == RULE


def test_d7_a_bomb_that_lies_about_its_size_is_not_unpacked() -> None:
    data = understated(zipped({"bomb.txt": bytes(200 << 20)}), 1000)
    tracemalloc.start()
    try:
        files = found(data)
        assert tracemalloc.get_traced_memory()[1] < 10 << 20
    finally:
        tracemalloc.stop()
    assert "damaged" in str(files["rules.zip/bomb.txt"])


def test_d7_an_archive_that_is_too_much_in_all_is_refused_as_a_whole() -> None:
    many = zipped({f"{n}.txt": b"" for n in range(20)})
    big = zipped({f"{n}.txt": bytes(600_000) for n in range(4)})
    assert "at most 10 files" in str(found(many, limits=ArchiveLimits(members=10))["rules.zip"])
    assert "at most 2 MB" in str(found(big, limits=ArchiveLimits(total_mb=2))["rules.zip"])


def test_d7_limits_hold_for_an_archive_with_those_inside_it() -> None:
    inner = zipped({f"{n}.txt": RULE for n in range(6)})
    files = found(zipped({"one.zip": inner, "two.zip": inner, "a.txt": RULE}), limits=ArchiveLimits(members=10))
    assert sum(content == RULE for content in files.values()) == 7
    assert "at most 10 files" in str(files["rules.zip/two.zip"])


def test_d7_a_member_over_the_limit_is_named_with_its_size() -> None:
    files = found(zipped({"big.txt": bytes(range(256)) * 8192, "a.txt": RULE}), limits=ArchiveLimits(member_mb=1))
    assert files == {"rules.zip/big.txt": "This file has 2 MB; the limit is 1 MB.", "rules.zip/a.txt": RULE}


_WHOLE = zipped({"a.txt": RULE * 50, "b.txt": RULE * 60})


@pytest.mark.parametrize(
    ("data", "path", "said"),
    [
        (zipped({"a.txt": RULE}) + b"PK\x01\x02" * 50_000, "rules.zip", "lists more than 40,000 files"),
        (_WHOLE[: int(len(_WHOLE) * 0.4)], "rules.zip", "damaged or incomplete"),
        (_WHOLE[: int(len(_WHOLE) * 0.9)], "rules.zip", "damaged or incomplete"),
        (zipped({"a.txt": RULE * 100}, zipfile.ZIP_BZIP2), "rules.zip/a.txt", "not supported"),
        (encrypted(zipped({"locked.txt": RULE})), "rules.zip/locked.txt", "password"),
    ],
    ids=["endless list", "in part", "nearly whole", "no bound on memory", "locked"],
)
def test_d7_what_is_not_unpacked_says_why(data: bytes, path: str, said: str) -> None:
    assert said in str(found(data)[path])


def test_d1_a_file_that_is_no_archive_is_itself() -> None:
    assert found(RULE, "2024/rules.txt") == {"2024/rules.txt": RULE}
    assert found(b"", "empty.zip") == {
        "empty.zip": "This archive is damaged or incomplete. Please pack or transfer it again."
    }
    assert found(zipped({}), "nothing.zip") == {}
