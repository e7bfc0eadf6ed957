"""Foreign texts are told from English ones, and what proves nothing is not called foreign (A4)."""

from __future__ import annotations

import pytest

from policypal.text.language import is_foreign
from tests.support.documents import COMPANY_POLICY, OTHER_RULE, RECORDS_RULE


@pytest.mark.parametrize("text", [
    "Der Vorstand muss das Register der Vorfälle mindestens einmal im Jahr prüfen und die Prüfung nicht verschieben.",
    "Le conseil doit examiner le registre des incidents au moins une fois par an et ne pas le modifier.",
    "El consejo debe revisar el registro de los incidentes por lo menos una vez al año y no lo modifica.",
    "Il consiglio deve esaminare il registro degli incidenti e non può modificare le voci della banca.",
    "Het bestuur moet het register van de incidenten een keer per jaar bekijken en niet wijzigen.",
    "银行必须至少保存客户记录七年。", "يجب على البنك الاحتفاظ بسجلات العملاء", "Банк обязан хранить записи клиентов семь лет.",
])  # fmt: skip
def test_a4_another_language_is_recognised(text: str) -> None:
    assert is_foreign(text)


@pytest.mark.parametrize("text", [
    "", "7", "Deutsche Bank AG", RECORDS_RULE, COMPANY_POLICY, OTHER_RULE,
    "Customer records | 7 years | Compliance\nComplaint files | 5 years | Compliance\nRecordings | 6 months | Security",
    "MFA no\nVPN no\nBackup no\nLogging no\nEncryption no\nTraining no\nTesting no",
    "The de facto head of the Banco de la Nación shall notify the Autorité des marchés financiers (AMF) in Paris.",
])  # fmt: skip
def test_a4_english_and_what_proves_nothing_is_not_foreign(text: str) -> None:
    assert not is_foreign(text)
