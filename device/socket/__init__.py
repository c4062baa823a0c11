"""The Unix socket between the table's loop and its clients: the pages' process and the commands.

Import from here `messages` (tagged unions of both directions, see `SOCKET.md`), `server`, `client`,
`snapshot` (the state of the table as JSON) and `history` (past games as JSON). It imports the rules, records,
table and lights, but neither the store nor the runtime.
"""
