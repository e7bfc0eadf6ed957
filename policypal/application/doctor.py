"""What is configured, what is reachable, and what to do about the rest (R8). Never shows a secret (X3)."""

import logging
import platform
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from policypal.config import BUILT_IN_EMBEDDINGS, ModelPrice, Settings
from policypal.db.embedded import connect
from policypal.db.jobs import QueueState, queue_state
from policypal.db.probe import DatabaseFacts, inspect, probe
from policypal.domain.account import NoAccount
from policypal.domain.private import make_private
from policypal.domain.text import duration
from policypal.errors import ConfigurationError, ModelError, ModelOutputInvalid, PolicyPalError
from policypal.search.embeddings import Embedder, built_in_embedder

logger = logging.getLogger(__name__)

Status = Literal["ok", "optional", "warning", "problem"]

MIN_SERVER = 150000
MIN_VECTOR = (0, 7)
LOW_DISK_BYTES = 1_000_000_000
NO_DISK_BYTES = 100_000_000
EMBEDDING_SETTING = "POLICYPAL_EMBEDDING_MODEL"
HOW_TO_EMBED = (
    f"Nothing has to be done. Set {EMBEDDING_SETTING} to an embedding model of the endpoint to use that one, or to "
    f"“{BUILT_IN_EMBEDDINGS}” to stop asking for one."
)
HOW_TO_PRICE = (
    "Give its price in POLICYPAL_PRICES, so that costs are shown and budgets count it, or limit its tokens with "
    "POLICYPAL_MONTHLY_BUDGET_TOKENS."
)
_PROCESS = "policypal-doctor"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. A "problem" keeps PolicyPal from working, a "warning" limits it, "optional" is a
    possibility that is not used. ``advice`` says what to do; empty where nothing needs doing. ``measured`` holds figures for
    monitoring, with their units in their names."""

    name: str
    status: Status
    finding: str
    advice: str = ""
    measured: Mapping[str, float | None] = field(default_factory=dict)


def examine(settings: Settings) -> list[Check]:
    """Look at everything; a check that fails never keeps the others from being made."""
    looks: dict[str, Callable[[Settings], Sequence[Check]]] = {
        "Python": _python, "Data folder": _data_folder, "Database": _database, "Embeddings": _embeddings,
        "Language model": _language_model, "Web search": _web_search, "Sign-in": _sign_in, "File store": _file_store,
        "Text recognition": _text_recognition, "Worker": _worker,
    }  # fmt: skip
    return [check for name, look in looks.items() for check in _looked(name, look, settings)]


def is_usable(checks: Sequence[Check]) -> bool:
    """Whether PolicyPal can work as it is."""
    return all(check.status != "problem" for check in checks)


def unreadable_settings(error: PolicyPalError) -> Check:
    """The one check that is left when the settings cannot be understood."""
    return Check(
        "Settings", "problem", error.message, "Correct them in the environment or in `.env` (see .env.example)."
    )


def _looked(name: str, look: Callable[[Settings], Sequence[Check]], settings: Settings) -> Sequence[Check]:
    try:
        return look(settings)
    except Exception as error:  # a diagnosis must not die of the disease it looks for
        logger.info("the check %s failed", name, exc_info=True)
        return [Check(name, "problem", f"This check failed ({type(error).__name__}).", "Reinstall: `make clean run`.")]


def _python(settings: Settings) -> list[Check]:
    return [Check("Python", "ok", platform.python_version())]


def _data_folder(settings: Settings) -> list[Check]:
    folder = settings.data_dir.resolve()
    advice = "Give this user write access, or choose another folder with --data-dir or POLICYPAL_DATA_DIR."
    try:
        make_private(folder)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"PolicyPal")
    except PolicyPalError as error:
        return [Check("Data folder", "problem", error.message, advice)]
    except OSError as error:
        return [Check("Data folder", "problem", f"{folder} cannot be written ({error.strerror}).", advice)]
    return [Check("Data folder", "ok", str(folder)), _disk(shutil.disk_usage(folder).free)]


def _disk(free: int) -> Check:
    finding = f"{free / 1e9:.1f} GB free"
    if free < NO_DISK_BYTES:
        return Check("Disk", "problem", finding, "Make room: the database cannot grow any more.")
    if free < LOW_DISK_BYTES:
        return Check("Disk", "warning", finding, "Make room before adding many documents.")
    return Check("Disk", "ok", finding)


def _database(settings: Settings) -> list[Check]:
    kind = "embedded" if settings.database_url is None else "external (DATABASE_URL)"
    try:
        embedded, db = connect(settings, _PROCESS)
    except PolicyPalError as error:
        return [Check("Database", "problem", f"{kind}: {error.message}")]
    try:
        probe(db)
        facts = inspect(db)
    except PolicyPalError as error:
        advice = "Check DATABASE_URL and DIRECT_URL: host, port, user, password, and whether the server runs."
        if isinstance(error, ConfigurationError):  # it connects, and the sentence says what is to be changed
            advice = ""
        return [Check("Database", "problem", f"{kind}: {error.message}", advice)]
    finally:
        if embedded is not None:
            embedded.stop()
    return [_server(facts, kind), _vector(facts), _migrations(facts)]


def _server(facts: DatabaseFacts, kind: str) -> Check:
    finding = f"PostgreSQL {facts.server}, {kind}"
    if facts.server_number < MIN_SERVER:
        return Check("Database", "problem", finding, "Use PostgreSQL 15 or newer.")
    return Check("Database", "ok", finding)


def _vector(facts: DatabaseFacts) -> Check:
    if facts.vector is None:
        return Check("pgvector", "problem", "not installed on the server", "Install pgvector 0.7 or newer.")
    if not facts.may_create_vector:
        finding = f"{facts.vector} is on the server, but this user may not create it in this database"
        return Check("pgvector", "problem", finding, "Run CREATE EXTENSION vector; there once as a superuser.")
    numbers = tuple(int(n) for n in facts.vector.split(".")[:2] if n.isdecimal())
    if numbers < MIN_VECTOR:
        return Check("pgvector", "problem", facts.vector, "Update it to 0.7 or newer (ALTER EXTENSION vector UPDATE).")
    return Check("pgvector", "ok", facts.vector)


def _migrations(facts: DatabaseFacts) -> Check:
    if not facts.pending:
        return Check("Tables", "ok", "up to date")
    advice = "Nothing to do: they are applied at the next start, or now with `python -m policypal migrate`."
    return Check("Tables", "optional", f"{len(facts.pending)} migration(s) not applied yet", advice)


def _embeddings(settings: Settings) -> list[Check]:
    from policypal.application.wiring import build_embedder

    name, embedder = "Embeddings", build_embedder(settings)
    try:
        dimensions = embedder.embed(["A policy binds the company."]).shape[1]
    except PolicyPalError as error:
        return [Check(name, "problem", error.message, f"Or set {EMBEDDING_SETTING} to “{BUILT_IN_EMBEDDINGS}”.")]
    if reason := why_built_in(embedder):
        finding = f"{embedder.model}, {dimensions} dimensions, on this machine. {reason}"
        wanted = settings.embedding_model is not None
        return [Check(name, "warning" if wanted else "optional", finding, HOW_TO_EMBED)]
    if settings.embedding_model not in (None, BUILT_IN_EMBEDDINGS) and not settings.has_model_key:
        finding = f"{embedder.model}, on this machine: {EMBEDDING_SETTING} is set, and OPENAI_API_KEY is not"
        return [Check(name, "warning", finding, "Set both to use an endpoint's embedding model.")]
    where = "at the model provider" if embedder.model != built_in_embedder().model else "on this machine"
    return [Check(name, "ok", f"{embedder.model}, {dimensions} dimensions, {where}")]


def why_built_in(embedder: Embedder) -> str:
    """Why passages are found by the built-in model although there is an endpoint; empty where that is not so."""
    from policypal.llm.endpoint_embedder import EndpointEmbedder

    return embedder.reason if isinstance(embedder, EndpointEmbedder) else ""


def _language_model(settings: Settings) -> list[Check]:
    """Each model in use, after a short structured answer."""
    from policypal.llm.routing import ModelRoutes

    if not settings.has_model_key:
        advice = "Set OPENAI_API_KEY (and OPENAI_BASE_URL for a compatible endpoint) to have a language model write."
        return [Check("Language model", "optional", "no key: the extractive engine answers with quotations", advice)]
    checks = []
    for model in ModelRoutes(settings.models).models():
        check, goes_on = _model(settings, model)
        checks.append(check)
        if not goes_on:
            break
    return checks


def _model(settings: Settings, model: str) -> tuple[Check, bool]:
    """One model's check, and whether another one may fare better."""
    from policypal.llm.proof import prove

    name = "Language model"
    try:
        proof = prove(settings, model, NoAccount())
    except PolicyPalError as error:
        advice = "Check OPENAI_API_KEY, OPENAI_BASE_URL and the network, or remove the key to work without a model."
        is_its_own = isinstance(error, ModelOutputInvalid) or (type(error) is ModelError and not error.retryable)
        if is_its_own:
            advice = "Choose another model in POLICYPAL_MODELS, or remove the key to work without one."
        return Check(name, "problem", f"{model}: {error.message}", advice), is_its_own
    found = proof.capabilities
    takes = f"{found.form.value}, {'' if found.has_temperature else 'no '}temperature, {'' if found.has_effort else 'no '}reasoning effort"
    finding = f"{model} answers in {proof.seconds:.1f} s; it takes {takes}; {_price(proof.price)}"
    if proof.price is None:
        limits = settings.monthly_limits
        status: Status = "warning" if limits.usd is not None and limits.tokens is None else "ok"
        return Check(name, status, finding, HOW_TO_PRICE), True
    return Check(name, "ok", finding), True


def _price(price: ModelPrice | None) -> str:
    if price is None:
        return "its price is unknown, so that no budget in dollars counts it"
    into, out = (f"${p:.2f}" if p == round(p, 2) else f"${p.normalize():f}" for p in (price.input, price.output))
    return f"{into} and {out} per million tokens in and out"


def _web_search(settings: Settings) -> list[Check]:
    name = "Web search"
    if not settings.has_web_search:
        advice = "Set TAVILY_API_KEY or EXA_API_KEY to let answers cite the web where that is asked for."
        return [Check(name, "optional", "not configured: answers rest on the library alone", advice)]
    from policypal.web.search import EXA_URL, TAVILY_URL, answers

    providers = [
        ("Tavily", settings.tavily_api_key, settings.tavily_base_url or TAVILY_URL),
        ("Exa", settings.exa_api_key, settings.exa_base_url or EXA_URL),
    ]
    return [_provider(label, answers(url)) for label, key, url in providers if key is not None]


def _provider(label: str, answers: bool) -> Check:
    name = "Web search"
    if not answers:
        advice = (
            f"Check the network, and {label.upper()}_BASE_URL if it is set. Answers rest on the library until then."
        )
        return Check(name, "warning", f"{label} does not answer", advice)
    return Check(name, "ok", f"{label} answers; its key is only checked by searching, which costs a search")


def _sign_in(settings: Settings) -> list[Check]:
    from policypal.application.wiring import build_auth

    name = "Sign-in"
    try:
        auth = build_auth(settings)
        if auth is None:
            advice = "Set SUPABASE_URL and SUPABASE_KEY to have people sign in (docs/deploy.md), before others reach the port."
            return [Check(name, "optional", "none: whoever reaches the port is the one local analyst", advice)]
        is_open = auth.takes_sign_ups()
    except PolicyPalError as error:
        return [Check(name, "problem", error.message, "Check SUPABASE_URL, SUPABASE_KEY and the network.")]
    if is_open:
        advice = "To let only invited people in, switch off new sign-ups in the project (Authentication, Sign In / Providers)."
        return [Check(name, "ok", "Supabase Auth accepts the key; everybody may create an account", advice)]
    return [Check(name, "ok", "Supabase Auth accepts the key; accounts by invitation only")]


def _file_store(settings: Settings) -> list[Check]:
    name = "File store"
    if settings.supabase_url is None or settings.supabase_service_key is None:
        return [_local_files(name, settings)]
    from policypal.storage.supabase import SupabaseFileStore

    try:
        SupabaseFileStore(settings.supabase_url, settings.supabase_service_key, settings.supabase_bucket).check()
    except PolicyPalError as error:
        return [Check(name, "problem", error.message, "Check SUPABASE_URL, SUPABASE_SERVICE_KEY and SUPABASE_BUCKET.")]
    return [Check(name, "ok", f"Supabase Storage, bucket {settings.supabase_bucket}")]


def _local_files(name: str, settings: Settings) -> Check:
    if settings.supabase_service_key is not None:
        return Check(name, "warning", "the data folder: SUPABASE_SERVICE_KEY is set without SUPABASE_URL", "Set both.")
    if settings.supabase_url is None:
        return Check(name, "ok", "the data folder")
    advice = "Set SUPABASE_SERVICE_KEY to keep documents in Supabase Storage, which every server and worker reaches."
    return Check(name, "optional", "the data folder", advice)


def _text_recognition(settings: Settings) -> list[Check]:
    from policypal.ingest import ocr

    name = "Text recognition"
    if not settings.ocr:
        return [Check(name, "optional", "switched off (POLICYPAL_OCR): scanned pages are not read")]
    match ocr.program():
        case ocr.PROGRAM:
            return [Check(name, "ok", f"ocrmypdf found, for the languages {settings.ocr_languages}")]
        case ocr.RAPID:
            advice = "For other languages, or for half the time, install ocrmypdf (apt or brew install ocrmypdf)."
            return [
                Check(name, "ok", "rapidocr found: it reads English and what is written in the same letters", advice)
            ]
    advice = "To have scanned pages read, run `make ocr`, or install ocrmypdf (apt or brew install ocrmypdf)."
    return [Check(name, "optional", "neither ocrmypdf nor rapidocr found: scanned pages are not read", advice)]


def _worker(settings: Settings) -> list[Check]:
    try:
        embedded, db = connect(settings, _PROCESS)
        try:
            probe(db)
            db.open()
            state = queue_state(db)
        finally:
            db.close()
            if embedded is not None:
                embedded.stop()
    except PolicyPalError:
        return [Check("Worker", "optional", "not known: the database does not answer")]
    return [_reading(state, runs_with_app=settings.run_worker)]


def _reading(state: QueueState | None, *, runs_with_app: bool) -> Check:
    """Who reads documents, from the workers' own signs of life."""
    name = "Worker"
    how = "the app (POLICYPAL_RUN_WORKER is on)" if runs_with_app else "`python -m policypal worker`"
    if state is None:
        return Check(name, "optional", "there are no tables yet", f"Start {how} after `python -m policypal migrate`.")
    measured = {
        "live_processes": state.processes,
        "waiting_documents": state.waiting,
        "oldest_waiting_seconds": state.oldest_seconds,
    }
    queue = "no document waits"
    if state.oldest_seconds is not None:
        queue = f"{state.waiting} document(s) wait, the oldest for {duration(state.oldest_seconds)}"
    if state.processes:
        return Check(name, "ok", f"{state.processes} process(es) alive; {queue}", measured=measured)
    seen = f" for {duration(state.silent_seconds)}" if state.silent_seconds is not None else ""
    finding = f"no process has read documents{seen}; {queue}" if seen else f"no process reads documents; {queue}"
    if not state.waiting and runs_with_app:
        return Check(name, "optional", finding, "Nothing to do: the app does when it runs.", measured)
    return Check(
        name, "warning", finding, f"Start {how} and keep it running; until then documents stay queued.", measured
    )
