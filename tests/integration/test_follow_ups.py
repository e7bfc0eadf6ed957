"""What is offered after an answer rests on the provisions it shows, and can be carried out (U2b)."""

from __future__ import annotations

from policypal.application import ask, conversations, follow_ups
from policypal.application.container import Container
from policypal.domain.citations import Citation
from policypal.domain.conversations import Message
from policypal.domain.documents import DocumentType
from policypal.domain.users import User
from tests.support.documents import COMPANY_POLICY, add_text
from tests.support.timeouts import LONGEST_WAIT_SECONDS

_ELSEWHERE = "".join(
    f"Article {number} – {subject.capitalize()}\n\n1. A firm must describe its {subject} to its customers before they open an account.\n\n"
    for number, subject in enumerate(
        ("fees", "languages", "opening hours", "branches", "advertising", "newsletters", "cards"), 2
    )
)
_RULE = f"""Article 1 – Reports

1. A bank must report every serious incident to the Authority within 24 hours, in the form laid down in Article 9(1).

2. Paragraph 1 does not apply to the cases of Article 99.

{_ELSEWHERE}Article 9 – Forms

1. Every paper must name the cause, the effect and the measures taken.
"""


def _asked(app: Container, user: User, message: str, **more: object) -> Message:
    thread = ask.new_thread_id()
    ask.send(app, user, thread, ask.Request(message=message, **more))  # type: ignore[arg-type]
    assert list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
    return conversations.history(app, user, thread).messages[-1]


def test_u2b_what_the_provisions_refer_to_what_changed_and_the_audit_are_offered(app: Container, user: User) -> None:
    old = add_text(app, user, "Incident Regulation", _RULE.replace("24", "72"), version="2023")
    rule = add_text(app, user, "Incident Regulation", _RULE, version="2025")
    policy = add_text(app, user, "Incident Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    answer = _asked(app, user, "Within how many hours must a serious incident be reported?", document_ids=(rule.id,))
    shown = [c for c in answer.citations if c.provision.startswith("Art. 1(")]
    assert len(shown) == 2
    offered = follow_ups.after(app, user, shown)
    assert [one.label for one in offered] == [
        "What does Art. 9(1) say?",  # no Article 99 stands in the document, and paragraph 1 is one of this very article
        "What changed since 2023?",
        "Audit Incident Policy against it",
    ]
    look_up, changes, audit = (one.request for one in offered)
    assert (look_up.documents, changes.documents) == ((rule.id,), (old.id, rule.id))
    assert (audit.sources, audit.targets) == ((policy.id,), (rule.id,))
    followed = _asked(app, user, offered[0].words, as_read=look_up)
    assert followed.citations[0].provision == "Art. 9(1)" and "the cause, the effect" in followed.content


def test_u2b_nothing_is_offered_where_nothing_of_the_library_is_quoted(app: Container, user: User) -> None:
    web = Citation(id=1, source_type="web", title="News", url="https://example.org", quote="Article 9", verified=True)
    assert follow_ups.after(app, user, []) == follow_ups.after(app, user, [web]) == []


def test_u2b_of_several_policies_none_is_chosen_for_the_audit(app: Container, user: User) -> None:
    rule = add_text(app, user, "Incident Regulation", _RULE)
    for name in ("Incident Policy", "Travel Policy"):
        add_text(app, user, name, f"{name}\n\n{COMPANY_POLICY}", type=DocumentType.COMPANY)
    answer = _asked(app, user, "Within how many hours must a serious incident be reported?", document_ids=(rule.id,))
    assert answer.citations and not [o for o in follow_ups.after(app, user, answer.citations) if o.request.sources]
