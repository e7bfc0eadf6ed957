"""The request as it was read, above its answer: it can be changed and run again, and what else was asked for is one click (G0)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import NAMESPACE_OID, uuid5

import streamlit as st

from policypal.application import ask, follow_ups, library
from policypal.application.container import Container
from policypal.application.conversations import History
from policypal.domain.conversations import Action, Message
from policypal.domain.requests import TEXT, Queued, Request
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.chat import badges, pal_reasoning
from policypal.ui.html import html
from policypal.ui.labels import Labels
from policypal.ui.markup import beginning, plain, text

_SHOWN_WORDS = 90
_MOST_DOCUMENTS = 5


def show(app: Container, user: User, told: History, position: int, *, is_latest: bool) -> None:
    """Chips for every answer that has a request; of the latest one they can be changed."""
    message = told.messages[position]
    if not message.payload.get("request") or message.payload.get("cancelled"):
        return
    request = Request(**message.payload["request"])
    if request.action is None:
        return
    if not is_latest:
        html(_chips(request))
        return
    with st.container(
        horizontal=True, wrap=False, vertical_alignment="center", gap="small", key=f"request_{message.id}"
    ):
        html(_chips(request), width="content")
        with st.popover("Change", icon=":material/tune:", type="tertiary", key=f"change_{message.id}"):
            _editor(app, user, told, position, request)


def next_action(app: Container, user: User, told: History) -> None:
    """What the message asked for besides, once its first action is done; after an answer, what may be asked next (U2b)."""
    last = told.messages[-1] if told.messages else None
    given = last.payload.get("request") if last is not None and last.role == "assistant" else None
    if last is None or not given or last.payload.get("cancelled"):
        return
    if queue := Request(**given).queue:
        words, name = beginning(queue[0].words, _SHOWN_WORDS), Action(queue[0].action).label
        told_twice = words.casefold().startswith(name.casefold())
        label = f"Next: {plain(words[:1].upper() + words[1:] if told_twice else f'{name} · {words}')}"
        if st.button(label, key=f"next_{last.id}", icon=":material/arrow_forward:"):
            first, *rest = queue
            key = f"{last.id}:next"
            sent = ask.Request(
                message=first.words,
                action=Action(first.action),
                as_read=first.request,
                queue=tuple(rest),
                idempotency_key=key,
            )
            _send(app, user, told, sent)
    elif last.payload.get("action") == Action.INQUIRE:
        with st.container(horizontal=True, gap="small", key="follow_ups"):
            for number, one in enumerate(follow_ups.after(app, user, last.citations)):
                key = f"follow_{last.id}_{number}"
                if st.button(plain(one.label), key=key, icon=":material/arrow_forward:", wrap=True):
                    sent = ask.Request(message=one.words, as_read=one.request, idempotency_key=f"{last.id}:{one.words}")
                    _send(app, user, told, sent)


def run_again(app: Container, user: User, told: History, position: int) -> None:
    """A button that carries out the request of an answer once more, and shows its conversation."""
    given = told.messages[position].payload.get("request")
    request = Request(**given) if given else Request()
    if request.action is None:
        return
    sides = {"sources": request.sources, "targets": request.targets, "documents": request.documents}
    is_possible = _is_whole(request.action, sides)
    if st.button("Run again", key="run_again", icon=":material/replay:", type="tertiary", disabled=not is_possible):
        again = _again(told, position, request, request.queue)
        state.show_thread(state.THREAD, told.conversation.thread_id)
        once = state.once(state.COMPOSER_NONCE, again.idempotency_key)
        _send(app, user, told, replace(again, idempotency_key=once), then="pages/chat.py")


def _chips(request: Request) -> str:
    """ "Audit · Group Policy · against · Rulebook 2025 · focus: complaints": a chip for each document."""

    def named(ids: Sequence[str]) -> list[str]:
        return ["your text" if i == TEXT else request.titles.get(i, "a deleted document") for i in ids]

    action, about = Action(request.action or "inquire"), _listed(named(request.documents))
    if action is Action.AUDIT:
        against = '<span class="pp-muted">against</span>'
        about = f"{_listed(named(request.sources))}{against}{_listed(named(request.targets))}"
    elif action is Action.INQUIRE and not request.documents:
        about = _listed([request.scope.label if request.scope else "your library"])
    limits = [f"focus: {request.focus}" if request.focus else "", "with the web" if request.web else ""]
    return (
        f'<div class="pp-meta" data-pp-request>{badges.badge(action.label, "pp-blue")}{about}'
        f"{_listed([limit for limit in limits if limit])}</div>"
    )


def _listed(names: Sequence[str]) -> str:
    """A chip each of the first two, and how many there are besides; all of them are told by pointing at it."""
    shown = list(names[:2]) if len(names) != 3 else list(names)
    chips = [f'<span class="pp-badge pp-request" title="{text(name)}">{text(name)}</span>' for name in shown]
    if rest := names[len(shown) :]:
        chips.append(badges.badge(f"{len(rest)} more", tooltip=", ".join(rest)))
    return "".join(chips)


def _editor(app: Container, user: User, told: History, position: int, request: Request) -> None:
    """Action, documents, focus and web; "Run again" carries out what is set, whatever the words say."""
    key = f"edit_{told.messages[position].id}"
    titles = {d.id: d.display_title for d in library.list_documents(app, user) if d.status == "ready"}
    labels = {a.value: a.label for a in Action}
    action = st.selectbox(
        "Action", list(labels), index=list(labels).index(request.action or "inquire"), format_func=Labels(labels),
        key=f"{key}_action",
    )  # fmt: skip
    sides = _sides(request, str(action), titles, key)
    focus = "" if action == Action.INQUIRE else st.text_input(
        "Focus", request.focus, key=f"{key}_focus", placeholder="Everything", max_chars=200
    )  # fmt: skip
    web = action != Action.COMPARE and st.toggle("Search the web, too", value=request.web, key=f"{key}_web")
    is_possible = _is_whole(str(action), sides)
    if st.button("Run again", key=f"{key}_run", type="primary", icon=":material/replay:", disabled=not is_possible):
        set_so = {"action": action, "focus": focus.strip(), "web": web, "titles": titles, "scope": request.scope}
        changed = Request.model_validate({**set_so, **sides})
        _send(app, user, told, _again(told, position, changed, request.queue))


def _sides(request: Request, action: str, titles: Mapping[str, str], key: str) -> dict[str, tuple[str, ...]]:
    """The documents on the sides that the action has."""

    def several(label: str, chosen: Sequence[str], part: str) -> tuple[str, ...]:
        return tuple(st.multiselect(
            label, list(titles), default=[i for i in chosen if i in titles], format_func=Labels(dict(titles)),
            key=f"{key}_{part}", max_selections=_MOST_DOCUMENTS, placeholder="Choose documents",
        ))  # fmt: skip

    if action != Action.AUDIT:
        held = request.documents or tuple(i for i in request.ids if i in titles)
        hint = "Documents (none: your library)" if action == Action.INQUIRE else "Documents"
        return {"documents": several(hint, held, "documents")}
    offered = {TEXT: "The text of the message", **titles}
    current = request.sources[0] if request.sources and request.sources[0] in offered else TEXT
    source = st.selectbox(
        "What is audited", list(offered), index=list(offered).index(current), format_func=Labels(offered), key=f"{key}_source"
    )  # fmt: skip
    return {"sources": (source,), "targets": several("Against", request.targets or request.documents, "targets")}


def _is_whole(action: str, sides: Mapping[str, tuple[str, ...]]) -> bool:
    if action == Action.AUDIT:
        return bool(sides["targets"]) and not set(sides["sources"]) & set(sides["targets"])
    return len(sides["documents"]) >= {Action.COMPARE: 2, Action.SUMMARIZE: 1}.get(Action(action), 0)


def _again(told: History, position: int, changed: Request, queue: Sequence[Queued]) -> ask.Request:
    """The same message with the request that was set; the text that was audited goes with it."""
    said: Message | None = next((m for m in reversed(told.messages[:position]) if m.role == "user"), None)
    name = str(said.payload.get("draft_name") or "") if said is not None else ""
    report = told.messages[position].payload.get("report") or {}
    words = said.content.removesuffix(f"📎 {name}").strip() if said is not None else ""
    draft = ask.Draft(name, report["source_text"]) if name and report.get("source_text") else None
    key = f"{told.messages[position].id}:{uuid5(NAMESPACE_OID, changed.model_dump_json())}"
    return ask.Request(message=words, as_read=changed, draft=draft, queue=tuple(queue), idempotency_key=key)


def _send(app: Container, user: User, told: History, request: ask.Request, then: str = "") -> None:
    """Send it, and go on here or on the page ``then``."""
    with errors.shown():
        ask.send(app, user, told.conversation.thread_id, request)
        state.renew(state.COMPOSER_NONCE)
        pal_reasoning.begin(told.conversation.thread_id)
        if then:
            st.switch_page(then)
        st.rerun()
