"""Errors of the rules: bad text, an illegal event, an impossible setup."""


class RulesError(ValueError):
    """The base of all errors about the input that the rules were given."""


class NotationError(RulesError):
    """A text that is not an event in any state."""


class IllegalEventError(RulesError):
    """A well-formed event that is illegal in this state.

    `why` is a short key for programs and translations, such as 'line_full'.
    """

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


class SetupError(RulesError):
    """An impossible setup: an unknown mode, a wrong number of players or no such first player."""
