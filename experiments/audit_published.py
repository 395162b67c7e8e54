"""Published tables of debate against vote: what the differences are worth, and what the plain model says they could be."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from _out import BLUE, GREY, RED, new_figure, publish, run, settings_of

from madsim.theory import bracket_width

DISCORDANCE = 0.15  # share of questions on which vote and debate differ: what pairing would make of the error
LEVEL_Z = 1.96
ASSUMED = 300  # questions, where a table does not say
# source, task, questions, agents, single agent, majority vote, debate
TABLE = [
    ("Du et al. 2023", "arithmetic", 100, 3, 0.670, 0.690, 0.818),
    ("Du et al. 2023", "GSM8K", 100, 3, 0.77, 0.81, 0.85),
    ("Du et al. 2023", "MMLU", 100, 3, 0.639, None, 0.711),
    ("Du et al. 2023", "biographies", 100, 3, 0.660, None, 0.738),
    ("Choi et al. 2025", "seven tasks, Qwen2.5-7B", None, 5, 0.7205, 0.7691, 0.7377),
    ("Choi et al. 2025", "seven tasks, Llama3.1-8B", None, 5, 0.6203, 0.7242, 0.6990),
    ("Smit et al. 2024", "MedQA, Society of Mind (best)", None, 3, None, 0.59, 0.61),
    ("Smit et al. 2024", "MedQA, ChatEval (best)", None, 3, None, 0.59, 0.57),
    ("Smit et al. 2024", "MedQA, multi-persona (best)", None, 3, None, 0.59, 0.51),
]


def audit(
    source: str, task: str, stated: int | None, agents: int, single: float | None, vote: float | None, debate: float
) -> dict[str, Any]:
    """The difference of debate and vote (or single agent), its error unpaired and paired, and the plain model's room for it."""
    n = ASSUMED if stated is None else stated
    rival = vote if vote is not None else single
    assert rival is not None
    gain = debate - rival
    unpaired = math.sqrt(debate * (1 - debate) / n + rival * (1 - rival) / n)
    paired = math.sqrt(max(DISCORDANCE - gain**2, 0.0) / n)
    row: dict[str, Any] = {
        "source": source,
        "task": task,
        "questions": n,
        "questions_assumed": stated is None,
        "against": "vote" if vote is not None else "single agent",
        "gain": gain,
        "half_width_paired": LEVEL_Z * paired,
        "z_unpaired": gain / unpaired,
        "z_paired": gain / paired,
        "significant": abs(gain) > LEVEL_Z * unpaired,
    }
    if vote is not None:
        row["ceiling"] = bracket_width(agents)
        row["beyond_ceiling"] = abs(gain) - bracket_width(agents)
        if single is not None:  # the plain model's debate stays between the single agent and the vote
            low, high = sorted((single, vote))
            row["plain_model"] = [low, high]
            row["outside_by"] = max(low - debate, debate - high, 0.0)
    return row


def main(out: Path) -> None:
    """Print the audit; the figure shows every gain with its paired interval and the plain model's range."""
    rows = [audit(*one) for one in TABLE]
    for row in rows:
        print(
            f"{row['source']:17s} {row['task']:30s} debate - {row['against']:12s} {row['gain']:+.3f} +- {row['half_width_paired']:.3f}, "
            f"z {row['z_unpaired']:+.2f} unpaired, {row['z_paired']:+.2f} paired"
            f"{f' (if {ASSUMED} questions)' if row['questions_assumed'] else ''}"
        )
    figure, axes = new_figure(width=8.0, height=4.2)
    for place, (row, one) in enumerate(zip(rows, TABLE, strict=True)):
        single, vote = one[4], one[5]
        colour = RED if row["significant"] else BLUE
        axes.errorbar(row["gain"], place, xerr=row["half_width_paired"], fmt="o", color=colour, capsize=3, markersize=4)
        if single is not None and vote is not None:
            axes.plot(sorted((single - vote, 0.0)), [place - 0.25] * 2, color=GREY, linewidth=4, alpha=0.5)
    axes.set_yticks(range(len(rows)), [f"{row['task']} ({row['source']})" for row in rows], fontsize=7)
    axes.axvline(0, color=GREY, linewidth=0.7)
    axes.invert_yaxis()
    axes.set(xlabel="debate minus vote (or single agent); grey: what the plain model allows")
    publish(out, "audit_published", figure, {"rows": rows}, settings_of(globals()))


if __name__ == "__main__":
    run(main)
