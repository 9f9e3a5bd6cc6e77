"""The one exception that a user's input can raise."""


class InputError(ValueError):
    """Something the user gave cannot be used.

    The message is one sentence that names the file or key, what was found, and what is allowed.

    Examples
    --------
    >>> raise InputError("config/config.yaml: key K: found 7, allowed are divisors of 120")
    Traceback (most recent call last):
    ...
    adaptive_sampling.errors.InputError: config/config.yaml: key K: found 7, allowed are divisors of 120
    """
