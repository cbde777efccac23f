"""The base class of errors that the caller can fix. Imports nothing, so that every module can use it."""


class Refused(Exception):
    """The call cannot be done as asked. Its text is sent to the caller unchanged and says what to change."""
