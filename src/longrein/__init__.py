"""Longrein: a durable session runtime for AI agents.

Whatever it acknowledged is still there: kill the process at any instant, open the thread again,
and the conversation, the queue and the pending approvals are all where they were.

Importing the package loads nothing: each public name is loaded when it is first used.
"""

from longrein._version import __version__ as __version__

_PUBLIC = {
    "Aborted": "longrein.core.outcomes:Aborted",
    "ActiveRun": "longrein.session.sessions:ActiveRun",
    "Agent": "longrein.loop.agent:Agent",
    "AgentFolder": "longrein.capabilities.subagents.files:AgentFolder",
    "Answer": "longrein.core.commands:Answer",
    "Approval": "longrein.core.records:Approval",
    "AskPerson": "longrein.capabilities.base:AskPerson",
    "AskUser": "longrein.capabilities.ask_user:AskUser",
    "AskedCall": "longrein.capabilities.base:AskedCall",
    "Assistant": "longrein.core.messages:Assistant",
    "Auth": "longrein.core.errors:Auth",
    "BadRequest": "longrein.core.errors:BadRequest",
    "Bounds": "longrein.workspace.sandbox.base:Bounds",
    "Budgets": "longrein.loop.setup:Budgets",
    "CHANGED": "longrein.workspace.checkpoints.facts:CHANGED",
    "CallResult": "longrein.capabilities.base:CallResult",
    "Capability": "longrein.capabilities.base:Capability",
    "ChildEnd": "longrein.tools.children:ChildEnd",
    "ChildView": "longrein.core.children:ChildView",
    "Children": "longrein.tools.children:Children",
    "CommandContext": "longrein.capabilities.contexts:CommandContext",
    "CommandFolder": "longrein.capabilities.custom_commands.files:CommandFolder",
    "Compaction": "longrein.context.summary:Compaction",
    "Context": "longrein.tools.context:Context",
    "ContextOverflow": "longrein.core.errors:ContextOverflow",
    "ContextReport": "longrein.context.report:ContextReport",
    "CustomCommands": "longrein.capabilities.custom_commands.capability:CustomCommands",
    "Declined": "longrein.tools.context:Declined",
    "Digest": "longrein.core.window:Digest",
    "Disk": "longrein.capabilities.workspace.sources:Disk",
    "Display": "longrein.core.display:Display",
    "Explanation": "longrein.permissions.explain:Explanation",
    "Failed": "longrein.core.outcomes:Failed",
    "File": "longrein.core.messages:File",
    "FileChange": "longrein.workspace.checkpoints.values:FileChange",
    "FileRule": "longrein.workspace.rules:FileRule",
    "FileSystem": "longrein.workspace.base:FileSystem",
    "Filtered": "longrein.core.errors:Filtered",
    "Finished": "longrein.core.outcomes:Finished",
    "GoOn": "longrein.capabilities.base:GoOn",
    "Grant": "longrein.core.policy:Grant",
    "Harness": "longrein.harness:Harness",
    "Hit": "longrein.storage.base:Hit",
    "HookContext": "longrein.capabilities.contexts:HookContext",
    "InStore": "longrein.capabilities.workspace.sources:InStore",
    "InThread": "longrein.capabilities.workspace.sources:InThread",
    "InternalError": "longrein.core.errors:InternalError",
    "Keeping": "longrein.workspace.checkpoints.values:Keeping",
    "KeptKey": "longrein.models.kept:KeptKey",
    "KeptKeys": "longrein.models.kept:KeptKeys",
    "LeaseLost": "longrein.core.errors:LeaseLost",
    "LimitReached": "longrein.core.outcomes:LimitReached",
    "Limits": "longrein.core.usage:Limits",
    "LongreinError": "longrein.core.errors:LongreinError",
    "Memory": "longrein.capabilities.memory.memory:Memory",
    "MemoryStore": "longrein.storage.memory:MemoryStore",
    "Mode": "longrein.loop.agent:Mode",
    "Model": "longrein.models.base:Model",
    "ModelError": "longrein.core.errors:ModelError",
    "ModelInfo": "longrein.models.listing:ModelInfo",
    "ModelSettings": "longrein.models.base:ModelSettings",
    "Mounted": "longrein.capabilities.workspace.sources:Mounted",
    "Network": "longrein.core.errors:Network",
    "NewArguments": "longrein.capabilities.base:NewArguments",
    "NotFound": "longrein.core.errors:NotFound",
    "Note": "longrein.core.messages:Note",
    "Noted": "longrein.capabilities.observing.notes:Noted",
    "OBSERVATIONS": "longrein.capabilities.observing.notes:OBSERVATIONS",
    "Observation": "longrein.capabilities.observing.notes:Observation",
    "ObservationalMemory": "longrein.capabilities.observing.memory:ObservationalMemory",
    "Observations": "longrein.capabilities.observing.notes:Observations",
    "OpenWorkspace": "longrein.capabilities.workspace.opened:OpenWorkspace",
    "Opening": "longrein.capabilities.opening:Opening",
    "Order": "longrein.tools.children:Order",
    "Outcome": "longrein.core.outcomes:Outcome",
    "Overloaded": "longrein.core.errors:Overloaded",
    "PLAN": "longrein.capabilities.plans:PLAN",
    "Places": "longrein.capabilities.opening:Places",
    "Plan": "longrein.core.planning:Plan",
    "Plans": "longrein.capabilities.plans:Plans",
    "Price": "longrein.models.price:Price",
    "Problem": "longrein.core.outcomes:Problem",
    "Profile": "longrein.loop.profiles.profile:Profile",
    "Profiles": "longrein.loop.profiles.registry:Profiles",
    "ProviderSettings": "longrein.models.catalog:ProviderSettings",
    "Question": "longrein.core.records:Question",
    "RateLimited": "longrein.core.errors:RateLimited",
    "Reasoning": "longrein.core.messages:Reasoning",
    "Refuse": "longrein.capabilities.base:Refuse",
    "RestoreReport": "longrein.core.restored:RestoreReport",
    "Retry": "longrein.loop.retry:Retry",
    "RewindPoint": "longrein.core.rewinds:RewindPoint",
    "RewindPreview": "longrein.core.rewinds:RewindPreview",
    "Rule": "longrein.core.policy:Rule",
    "Run": "longrein.session.handle:Run",
    "Sandbox": "longrein.workspace.sandbox.base:Sandbox",
    "Session": "longrein.session.session:Session",
    "SessionClosed": "longrein.core.errors:SessionClosed",
    "ShellHook": "longrein.capabilities.hooks.spec:ShellHook",
    "ShellHooks": "longrein.capabilities.hooks.capability:ShellHooks",
    "ShellSettings": "longrein.capabilities.workspace.shelling:ShellSettings",
    "Skill": "longrein.capabilities.skills.standard:Skill",
    "SkillFolder": "longrein.capabilities.skills.shelf:SkillFolder",
    "Skills": "longrein.capabilities.skills.skills:Skills",
    "SlashCommand": "longrein.capabilities.contexts:SlashCommand",
    "Slice": "longrein.core.slices:Slice",
    "Spent": "longrein.core.usage:Spent",
    "SqliteStore": "longrein.storage.sqlite:SqliteStore",
    "Store": "longrein.storage.base:Store",
    "StoreError": "longrein.core.errors:StoreError",
    "StoreFull": "longrein.core.errors:StoreFull",
    "StoreNewer": "longrein.core.errors:StoreNewer",
    "Subagent": "longrein.capabilities.subagents.spec:Subagent",
    "Subagents": "longrein.capabilities.subagents.capability:Subagents",
    "Summariser": "longrein.context.summary:Summariser",
    "SummaryTask": "longrein.context.summary:SummaryTask",
    "TODOS": "longrein.capabilities.todos:TODOS",
    "Text": "longrein.core.messages:Text",
    "ThreadRow": "longrein.storage.base:ThreadRow",
    "Todo": "longrein.core.planning:Todo",
    "Todos": "longrein.capabilities.todos:Todos",
    "Tool": "longrein.tools.define:Tool",
    "ToolCall": "longrein.core.messages:ToolCall",
    "ToolError": "longrein.core.errors:ToolError",
    "ToolResult": "longrein.core.messages:ToolResult",
    "Touches": "longrein.core.policy:Touches",
    "Unattended": "longrein.loop.deadlines:Unattended",
    "Usage": "longrein.core.usage:Usage",
    "UsageError": "longrein.core.errors:UsageError",
    "User": "longrein.core.messages:User",
    "Waiting": "longrein.core.outcomes:Waiting",
    "Workspace": "longrein.capabilities.workspace.workspace:Workspace",
    "ask_user": "longrein.capabilities.ask_user:ask_user",
    "deep_agent": "longrein.deep:deep_agent",
    "register_profile": "longrein.loop.profiles.registry:register_profile",
    "run_sync": "longrein.sync:run_sync",
    "tool": "longrein.tools.define:tool",
}
"""Every public name and where it lives; `tests/checks/test_public.py` pins the names."""

__all__ = [*_PUBLIC]  # pyright: ignore[reportUnsupportedDunderAll]

TYPE_CHECKING = False  # as in `typing`, which is not worth loading for it
if TYPE_CHECKING:
    from longrein.capabilities.ask_user import AskUser as AskUser
    from longrein.capabilities.ask_user import ask_user as ask_user
    from longrein.capabilities.base import AskedCall as AskedCall
    from longrein.capabilities.base import AskPerson as AskPerson
    from longrein.capabilities.base import CallResult as CallResult
    from longrein.capabilities.base import Capability as Capability
    from longrein.capabilities.base import GoOn as GoOn
    from longrein.capabilities.base import NewArguments as NewArguments
    from longrein.capabilities.base import Refuse as Refuse
    from longrein.capabilities.contexts import CommandContext as CommandContext
    from longrein.capabilities.contexts import HookContext as HookContext
    from longrein.capabilities.contexts import SlashCommand as SlashCommand
    from longrein.capabilities.custom_commands.capability import CustomCommands as CustomCommands
    from longrein.capabilities.custom_commands.files import CommandFolder as CommandFolder
    from longrein.capabilities.hooks.capability import ShellHooks as ShellHooks
    from longrein.capabilities.hooks.spec import ShellHook as ShellHook
    from longrein.capabilities.memory.memory import Memory as Memory
    from longrein.capabilities.observing.memory import ObservationalMemory as ObservationalMemory
    from longrein.capabilities.observing.notes import OBSERVATIONS as OBSERVATIONS
    from longrein.capabilities.observing.notes import Noted as Noted
    from longrein.capabilities.observing.notes import Observation as Observation
    from longrein.capabilities.observing.notes import Observations as Observations
    from longrein.capabilities.opening import Opening as Opening
    from longrein.capabilities.opening import Places as Places
    from longrein.capabilities.plans import PLAN as PLAN
    from longrein.capabilities.plans import Plans as Plans
    from longrein.capabilities.skills.shelf import SkillFolder as SkillFolder
    from longrein.capabilities.skills.skills import Skills as Skills
    from longrein.capabilities.skills.standard import Skill as Skill
    from longrein.capabilities.subagents.capability import Subagents as Subagents
    from longrein.capabilities.subagents.files import AgentFolder as AgentFolder
    from longrein.capabilities.subagents.spec import Subagent as Subagent
    from longrein.capabilities.todos import TODOS as TODOS
    from longrein.capabilities.todos import Todos as Todos
    from longrein.capabilities.workspace.opened import OpenWorkspace as OpenWorkspace
    from longrein.capabilities.workspace.shelling import ShellSettings as ShellSettings
    from longrein.capabilities.workspace.sources import Disk as Disk
    from longrein.capabilities.workspace.sources import InStore as InStore
    from longrein.capabilities.workspace.sources import InThread as InThread
    from longrein.capabilities.workspace.sources import Mounted as Mounted
    from longrein.capabilities.workspace.workspace import Workspace as Workspace
    from longrein.context.report import ContextReport as ContextReport
    from longrein.context.summary import Compaction as Compaction
    from longrein.context.summary import Summariser as Summariser
    from longrein.context.summary import SummaryTask as SummaryTask
    from longrein.core.children import ChildView as ChildView
    from longrein.core.commands import Answer as Answer
    from longrein.core.display import Display as Display
    from longrein.core.errors import Auth as Auth
    from longrein.core.errors import BadRequest as BadRequest
    from longrein.core.errors import ContextOverflow as ContextOverflow
    from longrein.core.errors import Filtered as Filtered
    from longrein.core.errors import InternalError as InternalError
    from longrein.core.errors import LeaseLost as LeaseLost
    from longrein.core.errors import LongreinError as LongreinError
    from longrein.core.errors import ModelError as ModelError
    from longrein.core.errors import Network as Network
    from longrein.core.errors import NotFound as NotFound
    from longrein.core.errors import Overloaded as Overloaded
    from longrein.core.errors import RateLimited as RateLimited
    from longrein.core.errors import SessionClosed as SessionClosed
    from longrein.core.errors import StoreError as StoreError
    from longrein.core.errors import StoreFull as StoreFull
    from longrein.core.errors import StoreNewer as StoreNewer
    from longrein.core.errors import ToolError as ToolError
    from longrein.core.errors import UsageError as UsageError
    from longrein.core.messages import Assistant as Assistant
    from longrein.core.messages import File as File
    from longrein.core.messages import Note as Note
    from longrein.core.messages import Reasoning as Reasoning
    from longrein.core.messages import Text as Text
    from longrein.core.messages import ToolCall as ToolCall
    from longrein.core.messages import ToolResult as ToolResult
    from longrein.core.messages import User as User
    from longrein.core.outcomes import Aborted as Aborted
    from longrein.core.outcomes import Failed as Failed
    from longrein.core.outcomes import Finished as Finished
    from longrein.core.outcomes import LimitReached as LimitReached
    from longrein.core.outcomes import Outcome as Outcome
    from longrein.core.outcomes import Problem as Problem
    from longrein.core.outcomes import Waiting as Waiting
    from longrein.core.planning import Plan as Plan
    from longrein.core.planning import Todo as Todo
    from longrein.core.policy import Grant as Grant
    from longrein.core.policy import Rule as Rule
    from longrein.core.policy import Touches as Touches
    from longrein.core.records import Approval as Approval
    from longrein.core.records import Question as Question
    from longrein.core.restored import RestoreReport as RestoreReport
    from longrein.core.rewinds import RewindPoint as RewindPoint
    from longrein.core.rewinds import RewindPreview as RewindPreview
    from longrein.core.slices import Slice as Slice
    from longrein.core.usage import Limits as Limits
    from longrein.core.usage import Spent as Spent
    from longrein.core.usage import Usage as Usage
    from longrein.core.window import Digest as Digest
    from longrein.deep import deep_agent as deep_agent
    from longrein.harness import Harness as Harness
    from longrein.loop.agent import Agent as Agent
    from longrein.loop.agent import Mode as Mode
    from longrein.loop.deadlines import Unattended as Unattended
    from longrein.loop.profiles.profile import Profile as Profile
    from longrein.loop.profiles.registry import Profiles as Profiles
    from longrein.loop.profiles.registry import register_profile as register_profile
    from longrein.loop.retry import Retry as Retry
    from longrein.loop.setup import Budgets as Budgets
    from longrein.models.base import Model as Model
    from longrein.models.base import ModelSettings as ModelSettings
    from longrein.models.catalog import ProviderSettings as ProviderSettings
    from longrein.models.kept import KeptKey as KeptKey
    from longrein.models.kept import KeptKeys as KeptKeys
    from longrein.models.listing import ModelInfo as ModelInfo
    from longrein.models.price import Price as Price
    from longrein.permissions.explain import Explanation as Explanation
    from longrein.session.handle import Run as Run
    from longrein.session.session import Session as Session
    from longrein.session.sessions import ActiveRun as ActiveRun
    from longrein.storage.base import Hit as Hit
    from longrein.storage.base import Store as Store
    from longrein.storage.base import ThreadRow as ThreadRow
    from longrein.storage.memory import MemoryStore as MemoryStore
    from longrein.storage.sqlite import SqliteStore as SqliteStore
    from longrein.sync import run_sync as run_sync
    from longrein.tools.children import ChildEnd as ChildEnd
    from longrein.tools.children import Children as Children
    from longrein.tools.children import Order as Order
    from longrein.tools.context import Context as Context
    from longrein.tools.context import Declined as Declined
    from longrein.tools.define import Tool as Tool
    from longrein.tools.define import tool as tool
    from longrein.workspace.base import FileSystem as FileSystem
    from longrein.workspace.checkpoints.facts import CHANGED as CHANGED
    from longrein.workspace.checkpoints.values import FileChange as FileChange
    from longrein.workspace.checkpoints.values import Keeping as Keeping
    from longrein.workspace.rules import FileRule as FileRule
    from longrein.workspace.sandbox.base import Bounds as Bounds
    from longrein.workspace.sandbox.base import Sandbox as Sandbox


if not TYPE_CHECKING:  # a type checker knows the names above, and that there are no others

    def __getattr__(name: str) -> object:
        if name not in _PUBLIC:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        module, _, attribute = _PUBLIC[name].partition(":")
        found = getattr(import_module(module), attribute)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
