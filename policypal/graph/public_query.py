"""The door to the web, for chat and research: what leaves is held against the person's own library first (X5)."""

from collections.abc import Sequence

from policypal.domain.documents import DocumentType
from policypal.graph.agent.said import known_document
from policypal.graph.context import NodeContext
from policypal.research.disclosure import Papers, public_query
from policypal.search.serving import WITHOUT_PROVIDER
from policypal.web.search import PublicQuery

_PASSAGES = 30


def leaving(
    context: NodeContext, query: str, asked: str, *, drafts: Sequence[str] = (), said: Sequence[str] = ()
) -> PublicQuery | None:
    """``query`` as it may leave, None where nothing may. ``asked`` is the message or goal, ``said`` what the person has
    written before, ``drafts`` are texts that were given to be checked.

    The company's papers are those passages that the query itself finds: what it could have been taken from.
    """
    papers = Papers(
        private=_nearest(context, query, DocumentType.COMPANY),
        public=_nearest(context, query, DocumentType.REGULATORY),
        drafts=[draft for draft in drafts if draft],
        said=said,
    )
    library = [known_document(d) for d in context.run.library]
    return public_query(query, library, context.run.profile, asked, papers)


def _nearest(context: NodeContext, query: str, kind: DocumentType) -> list[str]:
    ids = [d.id for d in context.run.library if d.type is kind and d.status == "ready"]
    if not ids or not query.strip():
        return []
    found = context.services.search.find(
        context.run.user_id, query, document_ids=ids, limit=_PASSAGES, serving=WITHOUT_PROVIDER
    )
    return [hit.passage.text for hit in found]
