"""Why a backup is not taken or put back."""


class BackupRefused(Exception):
    """Nothing was changed; the text says why, for the person at the terminal."""
