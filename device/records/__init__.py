"""Game records: reading, verifying and writing them as JSON Lines, and reviews of the choices in a game.

Pure: bytes and values in, values out. Import `read` and `write` from `record`, the errors, the limit of a
line and the JSON of results from `json_form`, and reviews from `review`.
"""
