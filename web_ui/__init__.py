"""The web process: serves the phone page, the twin (the drawn table), tags, rules and past games.

It knows the table only by its Unix socket and imports none of our other packages. It is started with
`python -m web_ui` (see `__main__`); nothing is imported from it but by tests.
"""
