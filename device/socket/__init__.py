"""The Unix socket between the daemon and its clients: messages, snapshot, server and client.

The message format is described in `SOCKET.md`.
"""
