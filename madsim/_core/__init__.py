"""What every layer needs and nothing scientific: randomness, provenance, arrays, estimates, canonical JSON.

Import from the modules (``from madsim._core.rng import Seed``): some need NumPy, and the layers that do not must not pay for it.
"""
