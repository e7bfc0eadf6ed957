"""The form for company, country, industry and description (U9)."""

import streamlit as st

from policypal.domain.users import Profile


def show(held: Profile, *, submit: str, key: str) -> Profile | None:
    """The filled-in profile when the form was submitted."""
    with st.form(key, width=720):
        left, right = st.columns(2)
        company = left.text_input("Company", held.company, max_chars=200)
        country = right.text_input("Country", held.country, max_chars=200)
        industry = st.text_input("Industry", held.industry, max_chars=200, placeholder="for example: retail banking")
        description = st.text_area(
            "What the company does", held.description, max_chars=2000, height=90,
            placeholder="Products, customers, licences: whatever decides which rules matter",
        )  # fmt: skip
        if not st.form_submit_button(submit, type="primary"):
            return None
    return Profile(company or "", country or "", industry or "", description or "", asked=True)
