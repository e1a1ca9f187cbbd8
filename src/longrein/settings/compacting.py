"""What settings files say about conversations that become too long."""

from msgspec import Struct

from longrein.context.summary import Compaction
from longrein.core.errors import UsageError


class CompactionTable(Struct, frozen=True, omit_defaults=True):
    """As in `Compaction`. None leaves what an earlier layer says."""

    share: float | None = None
    keep: float | None = None
    model: str = ""
    timeout: float | None = None
    enabled: bool | None = None

    def compaction(self) -> Compaction:
        """All of it together. Raises `UsageError` for what makes no sense."""
        usual = Compaction()
        return Compaction(
            share=usual.share if self.share is None else self.share,
            keep=usual.keep if self.keep is None else self.keep,
            model=self.model,
            timeout=usual.timeout if self.timeout is None else self.timeout,
            enabled=self.enabled is not False,
        )


def check_compacting(given: CompactionTable, source: str) -> None:
    """Raises `UsageError`, naming the file, for what makes no sense."""
    try:
        given.compaction()
    except UsageError as error:
        raise UsageError(f"{source}: compaction: {error}") from None
