"""Every setting, described once: what files, variables, `longrein config` and `init` go by.

Types and choices are those of `Layer`; what stands here is what a type cannot say.
"""

from collections.abc import Mapping

from longrein.settings.hook_settings import HOOKS
from longrein.settings.plain_settings import PLAIN
from longrein.settings.repeated_settings import REPEATED
from longrein.settings.setting import Group, Setting

GROUPS: tuple[Group, ...] = (*PLAIN, *HOOKS, *REPEATED)

SETTINGS: Mapping[str, Setting] = {one.key: one for group in GROUPS for one in group.settings}

VARIABLES: Mapping[str, str] = {one.variable: one.key for one in SETTINGS.values() if one.variable}
"""The key that each environment variable sets."""
