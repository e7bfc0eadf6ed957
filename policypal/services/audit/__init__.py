"""The keyless audit: rules over clauses, quantities and wording (A4, A6). It knows no task, model or graph."""
