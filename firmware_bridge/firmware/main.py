"""Started by MicroPython when the Pico gets power. Ctrl-C ends it, and mpremote gets in."""

from firmware_bridge.firmware.app import App

app = App()
try:
    app.run()
except KeyboardInterrupt:
    app.stop()
