"""The pins of the tag readers: hardware UARTs where the pins allow, PIO state machines elsewhere."""

from machine import UART, Pin
from rp2 import DMA, StateMachine

from firmware_bridge.firmware import programs
from firmware_bridge.firmware.inputs import Tags

UART_OF_PIN = {1: 0, 13: 0, 17: 0, 29: 0, 5: 1, 9: 1, 21: 1, 25: 1}
"""The UART for which a pin can be RX."""
BUFFER = 64


class Readers:
    """All readers of a table; `machine` is the first free state machine."""

    def __init__(self, readers: list[tuple[int, int]], machine: int) -> None:
        ports: dict[int, Uart | Receiver] = {}
        self._tags = [Tags() for _ in readers]
        uarts = set()
        # UARTs first: they claim a TX pin, which is free for others afterwards.
        for number, (pin, baud) in enumerate(readers):
            uart = UART_OF_PIN.get(pin)
            if uart is not None and uart not in uarts:
                uarts.add(uart)
                ports[number] = Uart(uart, pin, baud)
        for number, (pin, baud) in enumerate(readers):
            if number not in ports:
                ports[number] = Receiver(machine, pin, baud)
                machine += 1
        self._reads = [(number, port.read) for number, port in sorted(ports.items())]

    def scan(self, now: int) -> list[tuple[int, bytes]]:
        """Return the received tags, each with the number of its reader."""
        found = []
        for number, read in self._reads:
            data = read()
            if data:
                found.extend([(number, tag) for tag in self._tags[number].feed(data, now)])
        return found


def state_machines_needed(readers: list[tuple[int, int]]) -> int:
    """Return the number of state machines that these readers need."""
    uarts = {UART_OF_PIN[pin] for pin, _ in readers if pin in UART_OF_PIN}
    return len(readers) - len(uarts)


class Uart:
    """A reader on a hardware UART."""

    def __init__(self, uart: int, pin: int, baud: int) -> None:
        self._uart = UART(uart, baudrate=baud, rx=Pin(pin), rxbuf=BUFFER)

    def read(self) -> bytes:
        """Return the received bytes."""
        waiting = self._uart.any()
        return self._uart.read(waiting) or b"" if waiting else b""


class Receiver:
    """A reader on a state machine; a DMA channel writes its bytes to a buffer.

    When the buffer is full, the next read restarts the transfer; until then the FIFO holds eight bytes, 8 ms
    of a reader.
    """

    def __init__(self, machine: int, pin: int, baud: int) -> None:
        self._buffer = bytearray(BUFFER)
        self._read = 0
        line = Pin(pin, Pin.IN, Pin.PULL_UP)
        self._machine = StateMachine(
            machine, programs.receiver, freq=baud * programs.RECEIVER_TICKS, in_base=line, jmp_pin=line
        )
        self._machine.active(1)
        self._dma = DMA()
        request = (machine // 4 << 3) + 4 + machine % 4  # DREQ: the RX FIFO has a byte
        self._control = self._dma.pack_ctrl(size=0, inc_read=False, treq_sel=request)
        self._begin()

    def read(self) -> bytes:
        """Return the received bytes."""
        end = BUFFER - self._dma.count
        if end == self._read:
            return b""
        data = bytes(self._buffer[self._read : end])
        self._read = end
        if end == BUFFER:
            self._begin()
        return data

    def _begin(self) -> None:
        self._read = 0
        self._dma.config(
            read=self._machine, write=self._buffer, count=BUFFER, ctrl=self._control, trigger=True
        )
