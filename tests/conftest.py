"""What holds for all tests."""

import signal

# Tests in the background of a shell start deaf to Ctrl-C, and so would the programs that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
