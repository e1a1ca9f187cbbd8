"""What a session tells about itself: where the tokens of its requests go."""

from longrein.capabilities.contexts import CommandContext, SlashCommand
from longrein.context.report import ContextReport, report_context
from longrein.session.voice import Voice


class Reporting(Voice):
    """The part of a session that tells about itself."""

    async def context(self) -> ContextReport:
        """Where the tokens of the next request would go; people type `/context`.

        >>> from longrein import Session
        >>> async def is_nearly_full(session: Session) -> bool:
        ...     report = await session.context()
        ...     return report.free is not None and report.free < 20_000
        """
        services = self._services
        await services.load_prices()
        loop, state = services.loop, self.folded
        model = loop.setup.in_use(state)
        window = services.window(model) if model else None
        return report_context(state, loop.prompt.sections, loop.offer(state, model).specs, window)

    def own_commands(self) -> tuple[SlashCommand, ...]:
        """The commands that every session has."""

        async def context(ctx: CommandContext, arguments: str) -> str:
            return str(await self.context())

        return (SlashCommand("context", "Show where the tokens of a request go.", context),)
