"""The command line `azul-table`: `cli` is its entry point, and every command is a module with a `command`.

`console` has what the commands share. Nothing else imports from here.
"""
