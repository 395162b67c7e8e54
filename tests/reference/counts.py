"""Plain twins of what runs on counts: binomials, multinomials, rounds, leaps, and debates of agents who are alike."""

import math

import numpy as np

from tests.reference import swarm as twin
from tests.reference.streams import Stream


def binomial(stream: Stream, n: int, p: float) -> int:
    """Successes of n tries: inversion below a mean of 10, transformed rejection from there on."""
    if n <= 0 or p <= 0:
        return 0
    if p >= 1:
        return n
    if p > 0.5:
        return n - _binomial(stream, n, 1.0 - p)
    return _binomial(stream, n, p)


def _binomial(stream: Stream, n: int, p: float) -> int:
    if n * p < 10:
        high, low = stream.word(), stream.word()
        left = ((high << 21) + (low >> 11)) / 2**53
        chance, k = math.exp(n * math.log1p(-p)), 0
        while left >= chance and k < n:
            left -= chance
            chance *= p / (1 - p) * (n - k) / (k + 1)
            k += 1
        return k
    sd = math.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * sd
    a = -0.0873 + 0.0248 * b + 0.01 * p
    alpha, mode = (2.83 + 5.1 / b) * sd, math.floor((n + 1) * p)

    def log_mass(k):
        return -math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p / (1 - p))

    while True:
        u, v = ((stream.word() + 0.5) / 2**32 for _ in range(2))
        u -= 0.5
        edge = 0.5 - abs(u)
        k = math.floor((2 * a / edge + b) * u + (n * p + 0.5))
        if edge >= 0.07 and v <= 0.92 - 4.2 / b:
            return k
        if 0 <= k <= n and math.log(v * alpha / (a / edge**2 + b)) <= log_mass(k) - log_mass(mode):
            return k


def multinomial(stream: Stream, n: int, weights) -> list[int]:
    """n picks in proportion to weights, option by option."""
    counts, left = [0] * len(weights), math.fsum(weights)
    last = max(k for k, w in enumerate(weights) if w > 0)
    for k, w in enumerate(weights[:last]):
        if n and w > 0:
            counts[k] = binomial(stream, n, w / left)
            n -= counts[k]
        left -= w
    counts[last] = n
    return counts


def rounds(stream: Stream, start, n_agents, random_start, draws, quality, interaction, noise, spread, times):
    """Synchronous rounds on counts; draws ``"agent"``, ``"option"`` or ``"normal"``."""
    counts = multinomial(stream, n_agents, [float(c) for c in start]) if random_start else list(start)
    path, step = [], 0
    for time in times:
        while step < time and max(counts) < n_agents:
            step += 1
            now = twin.qualities(quality, interaction, [c / n_agents for c in counts])
            weights = []
            for c, q in zip(counts, now, strict=True):
                if c == 0:
                    weights.append(0.0)
                elif draws == "option" or noise == 0:
                    weights.append(c * twin.reward(stream, noise, q, spread))
                elif noise == 3:
                    weights.append(float(binomial(stream, c, q)))
                elif draws == "normal":
                    z = float(twin.normals(stream.word(), stream.word())[0])
                    weights.append(max(c * q + spread * math.sqrt(c) * z, 0.0))
                else:
                    total = 0.0
                    for _ in range(c):
                        total += twin.reward(stream, noise, q, spread)
                    weights.append(total)
            if sum(weights) > 0:
                counts = multinomial(stream, n_agents, weights)
        path.append(list(counts))
    return path


def chances(rule, at, n_agents, mean, variance):
    """Chance of every move at real-valued counts, a matrix (from, to) with what changes nothing on the diagonal."""
    kinds, n = len(at), len(mean)
    heard = np.array(at[:n]) * mean
    if rule == "voter":
        total = heard.sum()
        if total <= 0:
            return np.diag(at) / n_agents
        e = (np.array(at[:n]) * variance).sum() / total**2
        p = 1 + e * (3 + e * (15 + e * 105))
        taken = np.maximum(heard * (1 + e * p) - np.array(at[:n]) * variance * p / total, 0)
        taken = taken / taken.sum()
    else:
        taken = heard / (n_agents - 1)
    matrix = np.zeros((kinds, kinds))
    for source in range(kinds):
        for b in range(n):
            if b != source:
                gives_up = rule == "inhibition" and source != kinds - 1
                matrix[source, kinds - 1 if gives_up else b] += at[source] / n_agents * taken[b]
        matrix[source, source] = max(at[source] / n_agents - matrix[source].sum(), 0)
    return matrix


def leaps(stream: Stream, start, n_agents, rule, size, quality, interaction, mean, variance, times):
    """Midpoint leaps of at most `size` events; moving qualities without noise."""
    counts, path, event = np.array(start), [], 0
    n = len(quality)
    for time in times:
        while event < time and counts.max() < n_agents:
            m = min(size, time - event)
            event += m

            def move(at):
                moving = twin.qualities(quality, interaction, [c / n_agents for c in at[:n]])
                return chances(rule, at, n_agents, np.array(mean if interaction is None else moving), variance)

            first = move(counts.astype(float))
            middle = np.maximum(counts + 0.5 * m * (first.sum(axis=0) - first.sum(axis=1)), 0)
            moved = np.array(multinomial(stream, m, move(middle).ravel().tolist())).reshape(first.shape)
            np.fill_diagonal(moved, 0)
            before = counts.copy()
            for source in range(len(counts)):
                for target in range(len(counts)):
                    number = min(moved[source, target], before[source])
                    before[source] -= number
                    counts[source] -= number
                    counts[target] += number
        path.append(counts.tolist())
    return path


def debates_of_alike(key_words, n_trials, concentration, n_agents, weight, n_rounds):
    """Vote counts (trial, round, answer) of agents who are alike and hear everybody."""
    counts = np.zeros((n_trials, n_rounds + 1, len(concentration)), int)
    for trial in range(n_trials):
        stream, now = Stream(*key_words, trial), np.array(concentration, float)
        for step in range(n_rounds + 1):
            counts[trial, step] = multinomial(stream, n_agents, now.tolist())
            now += weight * counts[trial, step]
    return counts
