"""The errors of running kernels, under the names that Triton has for them."""

from ..errors import DriverError, OutOfResources, TegulaError

__all__ = ["AutotunerError", "InterpreterError", "OutOfResources", "PTXASError"]


class InterpreterError(TegulaError):
    """Raised by nothing here: there is no interpreter. See tegula.check."""


class AutotunerError(TegulaError, ValueError):
    """What autotune was given leaves no configuration to try."""


PTXASError = DriverError
