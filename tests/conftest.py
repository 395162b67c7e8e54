"""One profile for property-based tests: the same examples on every machine; ``MADSIM_FUZZ=1`` looks for new ones."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "madsim",
    derandomize=not os.environ.get("MADSIM_FUZZ"),
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("madsim")
