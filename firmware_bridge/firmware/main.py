"""Started by MicroPython at boot. Ctrl-C stops it, so that mpremote can connect."""

from firmware_bridge.firmware.app import App

app = App()
try:
    app.run()
except KeyboardInterrupt:
    app.stop()
