"""Research: a goal becomes a report one can check, edit and fork (section W)."""

from policypal.application import research
from policypal.application.container import Container
from policypal.domain.identifiers import is_uuid
from policypal.domain.research import ResearchThread
from policypal.domain.users import User
from policypal.errors import NotFound
from policypal.ui import deps, errors
from policypal.ui.chat import pal_reasoning
from policypal.ui.research import drawer as research_drawer
from policypal.ui.research import list as research_list
from policypal.ui.research import progress as research_progress
from policypal.ui.research import report as research_report
from policypal.ui.research import start as research_start


def show(user: User) -> None:
    """A new goal and the earlier reports, or one research when the address names it."""
    app = deps.container()
    with errors.shown():
        thread = _opened(app, user)
        if thread is None:
            research_start.show(app, user)
        else:
            _thread(app, user, thread)


def _opened(app: Container, user: User) -> ResearchThread | None:
    thread_id = research_list.current_thread()
    if thread_id is None:
        return None
    try:
        if not is_uuid(thread_id):
            raise NotFound("This research does not exist. It may have been deleted.")
        return research.find(app, user, thread_id)
    except NotFound as error:
        research_list.close()
        errors.show(error.title, error.message)
        return None


def _thread(app: Container, user: User, thread: ResearchThread) -> None:
    """Whatever happens in the browser, the run goes on in the process; coming back re-attaches (U6)."""
    # before anything of it is read, so that whatever comes meanwhile counts as new
    version = research.version(app, user, thread.thread_id)
    _, running = research.progress(app, user, thread.thread_id)
    question = None if running else research.pending(app, user, thread.thread_id)
    research_report.show_head(app, user, thread, is_running=running)
    if running:
        research_progress.follow(app, user, thread.thread_id)
        research_drawer.show_settled(app, user, thread.thread_id)
        return
    if question is not None:
        research_drawer.show(app, user, question)  # first, because on a phone it stands in the page
        research_progress.show_waiting(question)
    else:
        research_report.show(app, user, thread)
    pal_reasoning.watch(app, user, thread.thread_id, version)
