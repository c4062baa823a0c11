"""The pages: the phone page and the twin. It knows the table only by its socket."""
