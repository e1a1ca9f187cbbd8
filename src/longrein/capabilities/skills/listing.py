"""The skills that there are, for people."""

from longrein.capabilities.skills.library import Found

NONE = "There are no skills here."


def listed(found: Found) -> str:
    """Every skill with where it is from and what it is for, then what is wrong."""
    every = sorted(found.skills.values(), key=lambda one: one.name)
    lines = [f"{one.name} ({one.origin}): {' '.join(one.description.split())}" for one in every]
    return "\n".join((*(lines or [NONE]), *(problem.message for problem in found.problems)))
