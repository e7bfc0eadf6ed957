"""What colleagues ask for in German, French or Spanish, in the English words that the rules read (G2). Only the words that ask are
replaced; what is asked about stays as it was written."""

import re

_WORDS = {
    "summarize": r"fass(?:e|en|t)?(?=\b.*\bzusammen\b)|zusammenfassung(?: von)?|zusammenfassen|résume[rz]?|résumé de|resumen? de|res[uú]m[ae](?:n|me)?|resumir",
    "compare": r"vergleich(?:e|en|t)?|comparez|comparer|compar[ae]|comparar|gegenüberstell\w+",
    "check": r"(?:über)?prüf(?:e|en|t)|vérifie[rz]?|contrôle[rz]?|verific[ae]r?|revis[ae]r?|comprueb[ae]|auditier(?:e|en|t)|audite[rz]?|auditar?",
    "against": r"gegen(?:über)?|contre|par rapport (?:à|aux?)|contra|frente a",
    "compliant with": r"konform (?:mit|zu)|vereinbar mit|conforme[s]? (?:à|au|aux|a|con)|cumple(?:n)? con",
    "our": r"unsere?[nmrs]?|notre|nos|nuestr[oa]s?",
    "please": r"bitte|s'il (?:te|vous) pla[iî]t|por favor",
    "only": r"nur|ausschließlich|uniquement|seulement|solo|sólo|únicamente|solamente",
    "regarding": r"bezüglich|hinsichtlich|in bezug auf|betreffend|concernant|relatif à|en ce qui concerne|en lo relativo a|respecto (?:a|de)",
    "on": r"sur|sobre|über|zu[mr]?",
    "what": r"was|welche[rsmn]?|quels?|quelles?|qu'est-ce que|cu[aá]l(?:es)?|qu[eé]",
    "how": r"wie|comment|c[oó]mo",
    "when": r"wann|quand|cu[aá]ndo",
    "who": r"wer|qui|qui[eé]n(?:es)?",
    "is": r"gilt|ist|est|es",
    "under": r"nach|laut|gemäß|selon|según",
    "focus on": r"schwerpunkt(?: auf)?|fokus(?: auf)?|centr\w+ sur|con enfoque en|enfocad[oa]s? en",
    "and": r"und|et|y",
    "say": r"sagt|steht|dit|dice",
    "thanks": r"danke|vielen dank|merci|gracias",
}
_SUBJECTS = {
    "complaint": "beschwerde queja reclamacion", "outsourcing": "auslagerung externalisation externalizacion",
    "data protection": "datenschutz", "privacy": "confidentialite privacidad", "security": "sicherheit securite seguridad",
    "information security": "informationssicherheit", "access": "zugriff zugang acces acceso", "retention": "aufbewahrung",
    "product safety": "produktsicherheit", "product": "produkt produit producto", "safety": "sicherheit securite seguridad",
    "risk": "risiko risque riesgo", "reporting": "meldung berichterstattung notificacion", "incident": "vorfall incidente",
    "supplier": "lieferant fournisseur proveedor", "customer": "kunde cliente", "audit": "prufung auditoria",
    "due diligence": "sorgfaltspflicht diligencia", "sustainability": "nachhaltigkeit durabilite sostenibilidad",
    "machinery": "maschine maquina", "patient": "paciente", "health": "gesundheit sante salud",
    "control": "kontrolle controle", "resilience": "resilienz resiliencia", "cyber": "ciber", "bank": "banque banco",
    # what documents are called
    "directive": "directiva", "circular": "rundschreiben circulaire", "manual": "handbuch manuel", "report": "bericht rapport informe",
    "guideline": "leitlinie directrice", "standard": "norm norme norma", "procedure": "verfahren anweisung procedimiento",
    "act": "gesetz loi ley", "regulation": "reg verordnung reglement reglamento",
}  # fmt: skip
_ENGLISH = {word: english.split() for english, words in _SUBJECTS.items() for word in words.split()}
_TELLING = re.compile(
    r"[äöüßéèêàâçîïôûùñáíóú¿¡]|\b(?:zusammenfassung|vergleich\w*|schwerpunkt|der|die|das|den|dem|und|bitte|für|nicht|ist|les?|des|est|une?|dans|pour|los|las|una|según|del|sobre|entre|qué|zusammen|kurz|bitte|wie|mit|gegen|zu[mr]?|el|de|en|y|sur|du|aux?|nos|notre|nur|was|vous|puedes|nous)\b",
    re.IGNORECASE,
)
_REPLACED = [(re.compile(rf"\b(?:{words})\b", re.IGNORECASE | re.DOTALL), english) for english, words in _WORDS.items()]


def in_english(message: str) -> str:
    """``message`` with the words that ask in English; unchanged where nothing tells another language."""
    if len(_TELLING.findall(message)) < 2:
        return message
    for pattern, english in _REPLACED:
        message = pattern.sub(english, message)
    return message.replace("¿", "").replace("¡", "")


def translated(stem: str) -> list[str]:
    """The English stems of a foreign word that titles use ("auslagerung" → outsourcing); the word itself where it is none."""
    return _ENGLISH.get(stem, [stem])
