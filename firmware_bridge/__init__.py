"""Host and microcontroller: what they say to each other, and the firmware that answers."""
