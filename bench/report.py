"""The table and the file."""

from pathlib import Path

import msgspec

from bench.ratios import Numbers

AIMS: dict[str, float] = {
    "step_ratio_50": 3,
    "step_ratio_200": 3,
    "step_ratio_800": 3,
    "chunk_ratio": 3,
    "sessions_ratio": 3,
    "idle_session_kb": 60,
    "resume_cpu_ms": 50,
    "written_per_step": 1.5,
    "long_step_ratio": 1.3,
    "long_rss_mb": 40,
    "start_cpu_ms": 150,
    "import_cpu_ms": 25,
    "grep_ratio": 1.5,
    "glob_ratio": 1.5,
    "read_ms": 5,
    "sandbox_ms": 15,
    "sandbox_warm_ms": 3,
    "checkpoint_ms": 20,
    "checkpoint_shell_ms": 400,
    "default_tokens": 2000,
    "agent_tokens": 2500,
    "uncached_percent": 5,
    "first_frame_ms": 300,
    "open_10000_ms": 300,
    "scroll_page_ms": 10,
    "frame_ms": 8,
}
"""Every number and the most that it should be."""

HEAD = f"{'name':<20}{'reached':>9}{'aim':>7}   spread"


def row(name: str, numbers: Numbers) -> str:
    """One line of the table."""
    value, aim = numbers[name], AIMS[name]
    spread = numbers.get(f"{name}_spread")
    told = "" if spread is None else f"{spread:.2f}"
    return (
        f"{name:<20}{value:>9.2f}{aim:>7g}   {told:<8}{'' if value <= aim else 'missed'}".rstrip()
    )


def save(numbers: Numbers, path: Path) -> None:
    """Write the numbers; those of an earlier run that were not measured again stay."""
    kept = msgspec.json.decode(path.read_bytes() if path.exists() else b"{}", type=Numbers)
    rounded = {name: round(value, 4) for name, value in numbers.items()}
    encoded = msgspec.json.encode({**kept, **rounded}, order="sorted")
    path.write_bytes(msgspec.json.format(encoded) + b"\n")
