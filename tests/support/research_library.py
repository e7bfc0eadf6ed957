"""A small library for research: two rules that do not agree, and the policy of a bank. Written for this project."""

from __future__ import annotations

_FILLER = {
    "governance": "The board must approve the incident policy and must review it at least once a year. The board must appoint one"
    " person who is responsible for incident management. That person must report to the board every quarter about the incidents of"
    " the quarter, about their causes and about the measures that were taken against them. The board must keep minutes of the"
    " discussion, and must make them available to the Authority on request.",
    "register": "A bank must keep a register of all incidents. The register must name the time of discovery, the services concerned,"
    " the number of customers concerned and the measures taken. A bank must keep the entries of the register for at least five"
    " years. Entries must not be changed after an incident is closed, except to correct an error that is itself recorded.",
    "training": "A bank must train its staff in the recognition of incidents at least once a year. New staff must be trained within"
    " three months after they have begun to work. A bank must test its incident procedure at least once a year, and must report the"
    " result of the test to its board within 30 days after the test has ended.",
}

INCIDENT_RULE = f"""Section 1. Reporting of incidents

A bank must report every serious incident to the Authority within 24 hours after discovery.
The report must name the services concerned, the number of customers concerned and the expected duration of the incident.
A bank must send a final report to the Authority within 20 working days after the incident is closed.
A bank must inform the customers concerned by a serious incident without undue delay, at the latest within 48 hours.

Section 2. Governance of incidents

{_FILLER["governance"]}

Section 3. Register of incidents

{_FILLER["register"]}

Section 4. Training and tests

{_FILLER["training"]}
"""

OLD_RULE = f"""Section 1. Notification of incidents

A bank must report every serious incident to the Authority within 72 hours after discovery.
A bank must send a final report to the Authority within 30 working days after the incident is closed.
An incident is serious if it interrupts a critical service for more than two hours.

Section 2. Register

{_FILLER["register"].replace("five years", "seven years")}

Section 3. Outsourcing

A bank that outsources a critical service must agree with the provider that the provider reports every serious incident to
the bank within 4 hours after discovery. The bank remains responsible for the report to the Authority. A provider must not
inform the public about an incident before the bank has agreed to it in writing.
"""

BANK_POLICY = f"""1. Incidents

The duty manager reports every serious incident to the Head of Operations within 1 hour after discovery.
The Head of Operations reports every serious incident to the Authority within 72 hours after discovery.
We inform the customers concerned by a serious incident within five working days.

2. Register and training

We keep a register of all incidents and keep its entries for three years. We train our staff in the recognition of incidents
once a year. {_FILLER["training"].split(". ")[2].replace("A bank must test its", "We test our")}.
"""

LIBRARY = {"Incident Rule": INCIDENT_RULE, "Former Incident Rule": OLD_RULE, "Bank Policy": BANK_POLICY}
