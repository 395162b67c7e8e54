"""Rewards in JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from madsim.models import BernoulliNoise, BetaNoise, ClippedNormal, Learner, Noise, Swarm, UniformNoise


def draw_rewards(noise: Noise, key: Any, quality: Any) -> Any:
    """One reward around each quality, an array like `quality`."""
    if isinstance(noise, ClippedNormal):
        return jnp.clip(quality + noise.sd * jax.random.normal(key, quality.shape, quality.dtype), 0.0, 1.0)
    if isinstance(noise, UniformNoise):
        points = jax.random.uniform(key, quality.shape, quality.dtype, -1.0, 1.0)
        return jnp.clip(quality + noise.half_width * points, 0.0, 1.0)
    if isinstance(noise, BernoulliNoise):
        return (jax.random.uniform(key, quality.shape, quality.dtype) < quality).astype(quality.dtype)
    if isinstance(noise, BetaNoise):
        return jax.random.beta(key, quality * noise.mass, (1 - quality) * noise.mass, dtype=quality.dtype)
    return quality


def quality_now(model: Swarm | Learner, shares: Any, dtype: Any) -> Any:
    """The qualities at these shares, (option,)."""
    quality = jnp.asarray(model.quality, dtype)
    if model.interaction is None:
        return quality
    return jnp.clip(quality + jnp.asarray(model.interaction, dtype) @ shares[: model.n_options], 0.0, 1.0)
