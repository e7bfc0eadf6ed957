"""The picture: the parent graph of research and its four subgraphs, and nothing else (W3).

START → planner → research → writer → fact_check → red_team → (once, with issues: writer again) → publish → END

planner     START → assess → [plan mode] ask_questions → confirm_question ⟲ → make_plan → [plan mode] confirm_plan → END
research    START → look_up ⇉ search_library, search_web → weigh_harvest → [above the limit] confirm_harvest
            ⇉ harvest_page → choose_sources → END
writer      START → outline ⇉ write_section → assemble → END
fact_check  START → read_statements → check_claims → END

⇉ is a fan-out with ``Send``: one task per query, page or section, each of which survives a crash on its own. A confirm
node asks one question and does nothing else; every other node makes at most one call to a model, so that a run that was
killed pays for nothing twice (G1, W7). A cancelled run, and one that found nothing, goes straight to ``publish``.
"""

from collections.abc import Callable, Mapping
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from policypal.graph.context import NodeContext
from policypal.graph.observe import Node, if_asked, observed
from policypal.graph.research import state as states
from policypal.graph.research.nodes import confirm, fact_check, planner, publish, search, writer

Graph = StateGraph[Any, NodeContext, Any, Any]


def build_research_graph() -> Graph:
    """The parent graph, to be compiled with a checkpointer; its subgraphs use the same one."""
    graph = _graph(states.ResearchState, {"red_team": publish.red_team, "publish": publish.publish})
    for name, subgraph in _SUBGRAPHS.items():
        graph.add_node(name, subgraph().compile())
    graph.add_edge(START, "planner")
    graph.add_conditional_edges("planner", _after_planner, ["research", "publish"])
    graph.add_conditional_edges("research", _after_research, ["writer", "publish"])
    graph.add_edge("writer", "fact_check")
    graph.add_edge("fact_check", "red_team")
    graph.add_conditional_edges("red_team", _after_red_team, ["writer", "publish"])
    graph.add_edge("publish", END)
    return graph


def _planner() -> Graph:
    graph = _graph(states.PlannerState, planner.STAGES, confirm.PLANNER, output=states.PlannerOutput)
    graph.add_edge(START, "assess")
    graph.add_conditional_edges("assess", _after_assessment, ["ask_questions", "make_plan"])
    graph.add_conditional_edges(
        "ask_questions", if_asked("confirm_question", "make_plan"), ["confirm_question", "make_plan"]
    )
    graph.add_conditional_edges("make_plan", if_asked("confirm_plan", END), ["confirm_plan", END])
    return graph


def _research() -> Graph:
    stages = search.STAGES
    graph = _graph(states.HarvestState, stages, confirm.RESEARCH, output=states.ResearchOutput)
    graph.add_edge(START, "look_up")
    graph.add_conditional_edges("look_up", _searches, ["search_library", "search_web", "weigh_harvest"])
    graph.add_edge("search_library", "weigh_harvest")
    graph.add_edge("search_web", "weigh_harvest")
    reading = ["harvest_page", "choose_sources"]
    graph.add_conditional_edges("weigh_harvest", _after_weighing, ["confirm_harvest", *reading])
    graph.add_conditional_edges("confirm_harvest", _readings, [*reading, END])
    graph.add_edge("harvest_page", "choose_sources")
    graph.add_edge("choose_sources", END)
    return graph


def _writer() -> Graph:
    graph = _graph(states.WriterState, writer.STAGES, output=states.WriterOutput)
    graph.add_edge(START, "outline")
    graph.add_conditional_edges("outline", _sections, ["write_section", "assemble"])
    graph.add_edge("write_section", "assemble")
    graph.add_edge("assemble", END)
    return graph


def _fact_check() -> Graph:
    graph = _graph(states.FactCheckState, fact_check.STAGES, output=states.FactCheckOutput)
    graph.add_edge(START, "read_statements")
    graph.add_edge("read_statements", "check_claims")
    graph.add_edge("check_claims", END)
    return graph


_SUBGRAPHS: Mapping[str, Callable[[], Graph]] = {
    "planner": _planner, "research": _research, "writer": _writer, "fact_check": _fact_check,
}  # fmt: skip


def _graph(
    state: Any, stages: Mapping[str, Node], asking: Mapping[str, confirm.Asking] = {}, *, output: Any = None
) -> Graph:
    graph: Graph = StateGraph(state, context_schema=NodeContext, output_schema=output)
    for name, stage in stages.items():
        graph.add_node(name, observed(name, stage))
    for name, (ask, destinations) in asking.items():
        graph.add_node(name, observed(name, ask, asks=True), destinations=destinations)
    return graph


def _after_planner(state: states.ResearchState) -> str:
    return "publish" if state.get("cancelled") else "research"


def _after_assessment(state: states.PlannerState) -> str:
    return "ask_questions" if state["mode"] == "plan" and not state.get("planner_answers") else "make_plan"


def _searches(state: states.HarvestState) -> list[Send] | str:
    kinds = ["search_library", *(["search_web"] if state["searches_web"] else [])]
    return [Send(kind, search.lookup(state, query)) for kind in kinds for query in state["queries"]] or "weigh_harvest"


def _after_weighing(state: states.HarvestState) -> list[Send] | str:
    return "confirm_harvest" if state.get("question") else _readings(state)


def _readings(state: states.HarvestState) -> list[Send] | str:
    if state.get("cancelled"):
        return END
    return [Send("harvest_page", {"url": page["url"]}) for page in state["to_read"]] or "choose_sources"


def _after_research(state: states.ResearchState) -> str:
    return "publish" if state.get("cancelled") or not state.get("passages") else "writer"


def _sections(state: states.WriterState) -> list[Send] | str:
    return [Send("write_section", part) for part in writer.to_write(state)] or "assemble"


def _after_red_team(state: states.ResearchState) -> str:
    return "writer" if state.get("sent_back") else "publish"
