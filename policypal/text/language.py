"""Whether a text is in a language that the keyless rules read (A4)."""

import re

_ENGLISH = frozenset(
    "the of and to in a is that for or by be on as with an must shall may not we our are this any its from at".split()
)
_OTHERS = frozenset(
    "der die das und von zu den dem des ein eine nicht mit für auf ist muss im werden nach als bei oder "
    "le la les et du une un pas aux dans pour par sur est sont ne que qui doit leur ou au ce cette "
    "el los las y del una con para por no se que es debe sus o al su "
    "il lo gli di che non per una con del della deve e i delle sono alla "
    "het een van en niet dat te voor met zijn op moet worden bij aan door "
    "o os as do da dos das em um uma não com para por deve na no "
    "och att en ett som för av med inte ska på är till den det".split()
) - _ENGLISH - {"no", "do", "per"}  # fmt: skip
_FEW_WORDS = 8
_DISTINCT = 3
_LAST_LATIN = "\u024f"
_LEAST_SHARE = 0.1
"""Of a text's words that are small words of another language; ordinary prose has about a third."""


def is_foreign(text: str) -> bool:
    """Whether ``text`` is clearly not English: mostly in another script, or with more small words of another European
    language than of English. Tables, names and a few words alone prove nothing and are not foreign."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    letters = "".join(words)
    if sum(c > _LAST_LATIN for c in letters) * 2 > len(letters) > 0:
        return True
    if len(words) < _FEW_WORDS or len(_OTHERS.intersection(words)) < _DISTINCT:
        return False
    others, english = (sum(w in small for w in words) for small in (_OTHERS, _ENGLISH))
    return others > max(_LEAST_SHARE * len(words), english)
