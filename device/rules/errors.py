"""What can be wrong with a move: its text, or the move at this moment."""


class RulesError(ValueError):
    """The base of all faults that the rules find in what they are given."""


class NotationError(RulesError):
    """A text that is no event of the game, whatever the state."""


class IllegalEventError(RulesError):
    """A well-formed event that the rules do not allow in this state.

    `why` is a short key for programs and translations, such as 'line_full'.
    """

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


class SetupError(RulesError):
    """A game that can't be set up: a wrong number of players, an unknown mode, no such first player."""
