"""Swarms and learners one trial at a time in plain Python: the twins of the kernels, drawing the same stream.

Counts go out as lists by record time. Arithmetic of the lanes is float32, because their thresholds are.
"""

import math
from fractions import Fraction

import numpy as np

from tests.reference.streams import Stream

F = np.float32

LOG = [1.0, -0.4999999701976776, 0.33334192633628845, -0.250013530254364, 0.19955933094024658]
LOG += [-0.1657799333333969, 0.14977401494979858, -0.14269258081912994, 0.08533313125371933]
SINE = [3.1415927410125732, -5.167712688446045, 2.5501632690429688, -0.5992521643638611, 0.08205035328865051]
SINE += [-0.007028304040431976]
COSINE = [1.0, -4.934802055358887, 4.058709144592285, -1.335211992263794, 0.23493707180023193, -0.024395931512117386]


def polynomial(coefficients, x):
    """Horner's scheme in float32."""
    value = F(coefficients[-1])
    for c in coefficients[-2::-1]:
        value = F(value * x) + F(c)
    return value


def normals(first: int, second: int):
    """The two normals of two words."""
    u = F(F(first | 1) * F(2.0**-32))
    mantissa, exponent = np.frexp(u)  # in [0.5, 1)
    mantissa, exponent = F(mantissa * F(2)), int(exponent) - 1
    if mantissa > F(2.0**0.5):
        mantissa, exponent = F(mantissa * F(0.5)), exponent + 1
    f = F(mantissa - F(1))
    square = F(-2) * F(F(polynomial(LOG, f) * f) + F(F(exponent) * F(0.6931471805599453)))
    radius = np.sqrt(F(max(square, F(0))))
    signed = second - 2**32 if second >= 2**31 else second
    t = F(F(signed) * F(2.0**-32))
    y = F(t * t)
    sine, cosine = F(polynomial(SINE, y) * t), polynomial(COSINE, y)
    return F(radius * F(F(1) - F(F(F(2) * sine) * sine))), F(radius * F(F(F(2) * sine) * cosine))


def voter(stream: Stream, start, n_agents, draw, shared, mean, variance, times):
    """Asynchronous weighted voter as in the lanes; draw 0 mean, 1 integrated, 2 drawn."""
    counts, path, event = list(start), [], 0
    mean, variance = [F(m) for m in mean], [F(s) for s in variance]
    for time in times:
        while event < time:
            heard = _lane_sums(stream, counts, draw, shared, mean, variance)
            focal, target = F(stream.uniform24()), F(stream.uniform24())
            event += 1
            if heard[-1] <= 0:
                continue
            source = _first_above(F(focal * F(n_agents)), _running(counts))
            counts[_first_above(F(target * heard[-1]), heard)] += 1
            counts[source] -= 1
        path.append(list(counts))
    return path


def _lane_sums(stream, counts, draw, shared, mean, variance):
    c = [F(n) for n in counts]
    if draw == 0:
        return _running([F(n * m) for n, m in zip(c, mean, strict=True)])
    if draw == 1:
        total, spread, sums = F(0), F(0), []
        for n, m, s in zip(c, mean, variance, strict=True):
            total = F(total + F(n * m))
            spread = F(spread + F(s * (F(n * n) if shared else n)))
            sums.append((total, spread))
        inverse = F(F(1) / total)
        e = F(F(spread * inverse) * inverse)
        p = F(F(1) + F(e * F(F(3) + F(e * F(F(15) + F(e * F(105)))))))
        high, low = F(F(1) + F(e * p)), F(p * inverse)
        return [F(F(m * high) - F(v * low)) for m, v in sums]
    sd = np.sqrt(variance[0])
    z = []
    while len(z) < len(c):
        z += normals(stream.word(), stream.word())
    weights = []
    for n, q, error in zip(c, mean, z, strict=False):
        error = F(sd * error)
        if shared:
            weights.append(F(min(max(F(q + error), F(0)), F(1)) * n))
        else:
            weights.append(F(max(F(F(q * n) + F(error * np.sqrt(n))), F(0))))
    return _running(weights)


def _running(weights):
    sums = [F(weights[0])]
    for w in weights[1:]:
        sums.append(F(sums[-1] + F(w)))
    return sums


def _first_above(threshold, sums):
    for kind, total in enumerate(sums):
        if threshold < total:
            return kind
    raise AssertionError("a uniform reached the total")


def pairwise(stream: Stream, start, n_agents, inhibit, mean, times):
    """Imitation of success, or cross-inhibition with the uncommitted as the last type."""
    counts, path, event = list(start), [], 0
    speaks = [F(m) for m in mean] + [F(0)] * inhibit
    for time in times:
        while event < time:
            event += 1
            focal = _first_above(F(F(stream.uniform24()) * F(n_agents)), _running(counts))
            threshold = F(F(stream.uniform24()) * F(n_agents - 1))
            running, met = F(0), None
            for kind, c in enumerate(counts):
                running = F(running + F(F(c - (kind == focal)) * speaks[kind]))
                if threshold < running:
                    met = kind
                    break
            if met is None or met == focal:
                continue
            counts[focal] -= 1
            counts[met if not inhibit or focal == len(counts) - 1 else len(counts) - 1] += 1
        path.append(list(counts))
    return path


def pick(stream: Stream, weights, total):
    """An index in proportion to weights."""
    threshold, running, chosen = stream.uniform32() * total, 0.0, 0
    for k, w in enumerate(weights):
        if w > 0:
            chosen, running = k, running + w
            if threshold < running:
                break
    return chosen


def below(stream: Stream, n: int) -> int:
    """A whole number below n."""
    return stream.word() * n >> 32


def log_gamma(stream: Stream, shape: float) -> float:
    """Logarithm of a gamma variate."""
    boost = 0.0
    if shape < 1:
        boost = math.log(stream.uniform32() + 2.0**-33) / shape
        shape += 1
    d = shape - 1 / 3
    scale = 1 / math.sqrt(9 * d)
    while True:
        z = float(normals(stream.word(), stream.word())[0])
        root = 1 + scale * z
        if root <= 0:
            continue
        v = root * root * root
        if math.log(stream.uniform32() + 2.0**-33) < 0.5 * z * z + d - d * v + d * math.log(v):
            return math.log(d * v) + boost


def reward(stream: Stream, noise: int, quality: float, spread: float) -> float:
    """One reward; noise 0 none, 1 clipped normal, 2 uniform, 3 Bernoulli, 4 Beta."""
    if noise == 0:
        return quality
    if noise == 1:
        return min(max(quality + spread * float(normals(stream.word(), stream.word())[0]), 0.0), 1.0)
    if noise == 2:
        return min(max(quality + spread * (2 * stream.uniform32() - 1), 0.0), 1.0)
    if noise == 3:
        return float(stream.uniform32() < quality)
    first = log_gamma(stream, quality * spread)
    second = log_gamma(stream, (1 - quality) * spread)
    return 1 / (1 + math.exp(second - first))


def qualities(quality, interaction, shares):
    """Qualities at given shares, summed option by option."""
    if interaction is None:
        return list(quality)
    now = []
    for q, row in zip(quality, interaction, strict=True):
        for a, x in zip(row, shares, strict=True):
            q += a * x
        now.append(min(max(q, 0.0), 1.0))
    return now


def line_up(counts):
    """Agents in the order of their types."""
    return [kind for kind, c in enumerate(counts) for _ in range(c)]


def events(stream: Stream, start, n_agents, rule, by_option, quality, interaction, noise, spread, times):
    """Any asynchronous rule on counts: ``"voter"``, ``"imitation"`` or ``"inhibition"``."""
    counts, path, event, n = list(start), [], 0, len(quality)
    for time in times:
        while event < time and n_agents not in counts:
            event += 1
            now = qualities(quality, interaction, [c / n_agents for c in counts[:n]])
            source = line_up(counts)[below(stream, n_agents)]
            target = source
            if rule == "voter":
                heard = []
                for b in range(n):
                    one_draw = by_option or noise == 0
                    draws = 0 if not counts[b] else 1 if one_draw else counts[b]
                    total = 0.0
                    for _ in range(draws):
                        total += reward(stream, noise, now[b], spread)
                    heard.append(counts[b] * total if one_draw else total)
                if sum(heard) > 0:
                    target = pick(stream, heard, sum(heard))
            else:
                others = list(counts)
                others[source] -= 1
                met = line_up(others)[below(stream, n_agents - 1)]
                if met < n and met != source:
                    uniform = stream.uniform32()
                    if uniform < reward(stream, noise, now[met], spread):
                        target = met if rule == "imitation" or source == n else n
            counts[source] -= 1
            counts[target] += 1
        event = max(event, time)
        path.append(list(counts))
    return path


def agents(
    stream: Stream,
    start,
    *,
    rounds,
    random_start,
    by_option,
    hears,
    n_votes,
    accept,
    quality,
    interaction,
    noise,
    spread,
    times,
):
    """Weighted voters agent by agent. `hears`: ``("all",)``, ``("some", m)``, ``("group", m)`` or ``("graph", rows, self_weight)``."""
    n_agents, n = sum(start), len(quality)
    held = line_up(start)
    if random_start:
        held = [pick(stream, [c / n_agents for c in start], 1.0) for _ in range(n_agents)]
    path, step = [], 0
    for time in times:
        while step < time and len(set(held)) > 1:
            step += 1
            rewards, order = [1.0] * n_agents, list(range(n_agents))
            now = qualities(quality, interaction, [held.count(b) / n_agents for b in range(n)])

            def draw(listeners, rewards=rewards, held=held, now=now):
                shared = [reward(stream, noise, q, spread) for q in now] if by_option else None
                for j in listeners:
                    rewards[j] = shared[held[j]] if shared else reward(stream, noise, now[held[j]], spread)

            if rounds:
                draw(range(n_agents))
                if hears[0] == "group":
                    for last in range(n_agents - 1, 0, -1):
                        other = below(stream, last + 1)
                        order[last], order[other] = order[other], order[last]
            later = list(held)
            for position in range(n_agents) if rounds else [below(stream, n_agents)]:
                who = order[position] if hears[0] == "group" else position
                heard = _heard(stream, who, position, order, n_agents, hears)
                if not rounds:
                    draw([j for j, _ in heard])
                later[who] = _next(stream, who, held, rewards, heard, n, n_votes, accept, rounds and hears[0] == "all")
            held = later
        step = max(step, time)
        path.append([held.count(b) for b in range(n)])
    return path


def _heard(stream, who, position, order, n_agents, hears):
    if hears[0] == "all":
        return [(j, 1.0) for j in range(n_agents)]
    if hears[0] == "group":
        first = position - position % hears[1]
        return [(j, 1.0) for j in order[first : first + hears[1]]]
    if hears[0] == "graph":
        row = [(j, w) for j, w in enumerate(hears[1][who]) if w > 0]
        return [*row, (who, hears[2])] if row and hears[2] > 0 else row
    chosen = []
    for last in range(n_agents - 1 - hears[1], n_agents - 1):
        drawn = below(stream, last + 1)
        chosen.append(last if drawn in chosen else drawn)
    return [(j + 1 if j >= who else j, 1.0) for j in chosen]


def _next(stream, who, held, rewards, heard, n, n_votes, accept, in_shares):
    weights = [0.0] * n
    for j, loud in heard:
        weights[held[j]] += rewards[j] * loud
    total = 0.0
    for w in weights:
        total += w
    if total <= 0:
        return held[who]
    if in_shares and accept == "always":
        weights, total = [w / total for w in weights], 1.0
    if n_votes > 1:
        ballots = [pick(stream, weights, total) for _ in range(n_votes)]
        counts = [ballots.count(b) for b in range(n)]
        tied = [b for b in range(n) if counts[b] == max(counts)]
        return tied[below(stream, len(tied))] if len(tied) > 1 else tied[0]
    option = pick(stream, weights, total)
    if accept == "always":
        return option
    threshold, running, judged = stream.uniform32() * weights[option], 0.0, 0.0
    for j, loud in heard:
        if held[j] == option and rewards[j] > 0:
            judged = rewards[j]
            running += judged * loud
            if threshold < running:
                break
    taken = stream.uniform32() < judged if accept == "reward" else judged > rewards[who]
    return option if taken else held[who]


def learner_step(x, option, rate, r, baseline):
    """x + rate (r / baseline) (e_k - x), shortened to the edge."""
    move = min(rate * r / baseline, 1.0) if baseline > 0 else 0.0
    return [v - move * v + (move if b == option else 0.0) for b, v in enumerate(x)]


def learner(stream: Stream, start, rate, quality, mean, noise, spread, baseline, average_rate, average, times):
    """One sample a step, as in the lanes; baseline ``"none"``, ``"oracle"``, ``"average"`` or ``"own"``."""
    x, path, step = list(start), [], 0
    for time in times:
        while step < time:
            step += 1
            uniform = stream.uniform32()
            total = oracle = 0.0
            for v, m in zip(x, mean, strict=True):
                total += v
                oracle += m * v
            threshold, running, option = uniform * total, 0.0, -1
            for b, v in enumerate(x):
                before, running = running, running + v
                if before <= threshold < running:
                    option = b
            r = reward(stream, noise, quality[option], spread)
            average += average_rate * (r - average)
            x = learner_step(
                x, option, rate, r, {"none": 1.0, "oracle": oracle, "average": average, "own": r}[baseline]
            )
        path.append(list(x))
    return path


def batches(
    stream: Stream,
    start,
    rate,
    batch,
    quality,
    interaction,
    mean,
    noise,
    spread,
    baseline,
    average_rate,
    average,
    n_steps,
):
    """Batched learner: probabilities before every step, and how often each option was drawn in it."""
    x, path, drawn = list(start), [], []
    for step in range(n_steps + 1):
        options = [pick(stream, x, 1.0) for _ in range(batch)]
        path.append(list(x))
        drawn.append([options.count(b) for b in range(len(x))])
        if step == n_steps:
            return path, drawn
        now = qualities(quality, interaction, x)
        expected = mean if interaction is None else now
        heard = [0.0] * len(x)
        for b in options:
            heard[b] += reward(stream, noise, now[b], spread)
        total = oracle = 0.0
        for b in range(len(x)):
            total += heard[b]
            oracle += x[b] * expected[b]
        average += average_rate * (total / batch - average)
        if total <= 0:
            continue
        under = {"none": 1.0, "oracle": oracle, "average": average}.get(baseline)
        move = rate if under is None else min(rate * (total / batch) / under, 1.0)
        x = [(1 - move) * v + move * (h / total) for v, h in zip(x, heard, strict=True)]
    raise AssertionError


def one_event_law(counts, quality):
    """Exact chances (from, to) of the next event of a noise-free asynchronous voter, as fractions, from whole-number qualities."""
    n_agents = sum(counts)
    total = sum(c * q for c, q in zip(counts, quality, strict=True))
    return {
        (a, b): Fraction(counts[a], n_agents) * Fraction(counts[b] * quality[b], total)
        for a in range(len(counts))
        for b in range(len(counts))
        if a != b and counts[a] and counts[b]
    }
