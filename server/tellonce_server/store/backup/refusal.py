"""The error of a backup or restore that was not carried out."""


class BackupRefused(Exception):
    """Nothing was changed; the text says why, for the person at the terminal."""
