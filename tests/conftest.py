"""What holds for all tests."""

import signal

from hypothesis import HealthCheck, settings
from playwright.sync_api import expect

from tests.web_ui.fake_daemon import TIMEOUT

pytest_plugins = ["tests.harness.fixtures"]

# Tests in the background of a shell start deaf to Ctrl-C, and so would the programs that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
expect.set_options(timeout=1000 * TIMEOUT)
# No example is a fault because the machine was busy with something else meanwhile.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
