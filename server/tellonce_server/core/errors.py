"""What a call is refused with for a reason its caller can act on; imports nothing, so that every room can use it."""


class Refused(Exception):
    """The call cannot be done as asked; the text, which goes to the caller as it is, says what to change."""
