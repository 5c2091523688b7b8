"""Exit codes, as sysexits(3) names them."""

OK = 0
USAGE = 64
UNAVAILABLE = 69
SOFTWARE = 70
IO_ERROR = 74
NO_PERMISSION = 77
