"""The game, and the process that runs the table.

Its files by subject, those that others stand on first:

- **A table's value**: `appliance`, `play`, `situation` (between two starts), `names`, `buttons`, `prompt`.
- **What an event makes of it**: `table`, `seating`, `turns`, `choices`, `ceremony`, `resin`, `faults`,
  `phones`.
- **Tags**: `tags`, `cards`, `lessons`, `learning`.
- **Opponents**: `questions`, `opponents`, `hints`, `reasons`, `thinking`; how they think is `bots`.
- **Light**: `rhythm`, `palettes`, `painting`, `lights`, `single_lights`, `choice_lights`, `ceremony_lights`,
  `learning_lights`, `calm`, `frames`.
- **What pages are told**: `snapshot`, `told`, `advice`, `simulation`, `messages`; their language is
  SOCKET.md.
- **Kept**: `config`, `data_folder`, `schema`, `store`, `archive`.
- **Past games**: `history`, `historian`, `review`, `grader`.
- **What runs**: `daemon` (the loop), `socket_server`, `table_client`, `pages_process`, `service`.
- **The command**: `cli`, `commands`, `bench`. **The rules of the game**: `rules`.
"""
