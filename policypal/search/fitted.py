"""Fitted tables of the ranking (docs/decisions/0009). Do not edit; written by

    python benchmarks/fit_ranking.py --passages passages.jsonl --questions dev.jsonl --output FILE

from the ObliQA development questions, which name the passages that answer them.
"""

WEIGHTS: dict[str, float] = {
    "bm25": 4.161,
    "coverage": 5.036,
    "names": 0.836,
    "numbers": 1.742,
    "opening": 1.114,
    "cosine": 3.928,
    "pairs": 3.754,
    "proximity": 3.388,
    "neighbour": 0.639,
    "second_neighbour": 0.169,
    "length": 1.827,
    "length_squared": -0.293,
    "binding": 0.296,
    "time": 0.224,
    "amount": 0.08,
    "list": 0.671,
}
"""Feature (:mod:`policypal.search.reranking`) → its weight in the linear score."""

ASKING: dict[str, float] = {
    term: float(factor)
    for term, factor in (
        pair.split(":")
        for pair in """
        accord:0.5 action:0.7 addit:0.63 adher:0.34 after:0.56 against:0.65 align:0.38 allow:0.67 ani:0.7
        approach:0.63 aspect:0.53 assist:0.67 associ:0.58 avail:0.62 avoid:0.7 awar:0.56 be:0.61 befor:0.68
        best:0.27 between:0.69 beyond:0.44 both:0.58 case:0.45 certain:0.56 circumst:0.51 clarif:0.35 clarifi:0.16
        classifi:0.67 compani:0.55 compli:0.59 complianc:0.68 compliant:0.36 comprehens:0.69 concern:0.35
        condit:0.61 conduct:0.72 consequ:0.31 consid:0.43 constitut:0.32 context:0.11 criteria:0.25 current:0.62
        decid:0.6 deem:0.56 defin:0.72 demonstr:0.4 describ:0.45 detail:0.4 determin:0.53 differ:0.35 discrep:0.61
        document:0.64 dure:0.44 elabor:0.17 element:0.6 enforc:0.67 engag:0.73 ensur:0.67 especi:0.38 evalu:0.39
        event:0.51 evid:0.6 exampl:0.22 except:0.63 expect:0.36 factor:0.7 fail:0.44 find:0.65 follow:0.47
        formal:0.66 format:0.45 frame:0.57 frequenc:0.69 frequent:0.45 fulfil:0.54 further:0.53 give:0.72
        guidanc:0.47 guidelin:0.46 handl:0.43 implement:0.73 indic:0.41 influenc:0.71 interpret:0.62 involv:0.39
        issu:0.72 keep:0.61 key:0.63 level:0.57 maintain:0.68 mandat:0.6 measur:0.74 meet:0.64 mention:0.43
        method:0.65 methodolog:0.71 might:0.26 minimum:0.56 more:0.7 multipl:0.71 necessari:0.72 need:0.49 ongo:0.46
        organiz:0.6 outlin:0.24 overse:0.58 particular:0.42 per:0.24 permit:0.68 place:0.61 pleas:0.23 possibl:0.6
        potenti:0.41 practic:0.49 prevent:0.74 process:0.57 protocol:0.51 provid:0.59 qualif:0.55 recogn:0.43
        recommend:0.4 reflect:0.65 regard:0.24 remain:0.46 respect:0.53 role:0.67 satisfi:0.7 scenario:0.57
        scope:0.46 seek:0.61 set:0.7 should:0.68 situat:0.47 specif:0.36 specifi:0.65 standard:0.72 status:0.72
        step:0.43 stipul:0.55 studi:0.43 subject:0.54 submiss:0.65 submit:0.65 take:0.65 templat:0.54 term:0.7
        threshold:0.57 timefram:0.59 trigger:0.49 two:0.73 type:0.28 under:0.66 upcom:0.57 updat:0.51 upon:0.65
        util:0.59 verifi:0.72 whether:0.59 while:0.57 within:0.54 without:0.64
        """.split()
    )
}
"""Stemmed word of asking → how much less than other terms it says about the passage that answers, in (0, 1)."""
