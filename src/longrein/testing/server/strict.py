"""The rules of the strictest provider, checked on the common form of a request."""

import re
from itertools import pairwise
from typing import Any

import msgspec

from longrein.core.messages import (
    Assistant,
    File,
    Note,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from longrein.models.base import Request
from longrein.testing.server.wires import Refused

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def check(request: Request, *, streamed: bool) -> None:
    """Raise `Refused` where some provider would refuse this request, or the answer is no stream.

    Each call has exactly one result right after it; ids are unique and names are names; arguments
    are JSON objects; nothing is empty; the user speaks first and the model not last.
    """
    if not streamed:
        raise Refused("stream: only streamed answers are scripted")
    _check_tools(request)
    _check_order(request)
    _check_calls(request)
    for place, message in enumerate(request.messages):
        match message:
            case User(parts=parts) | ToolResult(parts=parts) | Assistant(parts=parts):
                _check_parts(parts, place)
            case Note(text=text):
                _check_parts((Text(text),), place)


def _check_tools(request: Request) -> None:
    names = [tool.name for tool in request.tools]
    for name in names:
        _check_name(name, "tools")
    if len(set(names)) != len(names):
        raise Refused("tools: Tool names must be unique.")
    for tool in request.tools:
        schema = msgspec.json.decode(tool.schema)
        if not isinstance(schema, dict) or _field(schema, "type") != "object":
            raise Refused(f"tools.{tool.name}: input schema must have type 'object'.")


def _check_order(request: Request) -> None:
    said = [message for message in request.messages if not isinstance(message, Note)]
    if not said:
        raise Refused("messages: at least one message is required")
    if not isinstance(said[0], User):
        raise Refused('messages: first message must use the "user" role')
    if isinstance(request.messages[-1], Assistant):
        raise Refused("messages: the conversation must end with a user message")
    for place, (one, two) in enumerate(pairwise(said)):
        if isinstance(one, Assistant) and isinstance(two, Assistant):
            raise Refused(f"messages.{place}: two assistant messages in a row")


def _check_calls(request: Request) -> None:
    used: set[str] = set()
    waiting: set[str] = set()
    for place, message in enumerate(request.messages):
        if isinstance(message, ToolResult):
            if message.call not in waiting:
                raise Refused(f"messages.{place}: tool result {message.call!r} has no call before")
            waiting.remove(message.call)
            continue
        if waiting:
            raise Refused(f"messages.{place}: calls without a result right after: {waiting}")
        if isinstance(message, Assistant):
            waiting = {_checked_call(call, used, place) for call in message.calls}
    if waiting:
        raise Refused(f"messages: calls without a result: {waiting}")


def _checked_call(call: ToolCall, used: set[str], place: int) -> str:
    _check_name(call.id, f"messages.{place}: tool call id")
    _check_name(call.name, f"messages.{place}: tool call name")
    if call.id in used:
        raise Refused(f"messages.{place}: tool call ids must be unique, {call.id!r} is not")
    used.add(call.id)
    try:
        arguments = msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise Refused(f"messages.{place}: arguments of {call.id} are not JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise Refused(f"messages.{place}: arguments of {call.id} are not an object")
    return call.id


def _check_parts(parts: tuple[Part, ...], place: int) -> None:
    if not any(isinstance(part, Text | File | ToolCall) for part in parts):
        raise Refused(f"messages.{place}: content must not be empty")
    for part in parts:
        if isinstance(part, Text):
            _check_text(part.text, place)
        elif isinstance(part, Reasoning) and not (part.text or part.signature):
            raise Refused(f"messages.{place}: empty reasoning")


def _check_text(text: str, place: int) -> None:
    if not text.strip():
        raise Refused(f"messages.{place}: text content must contain non-whitespace text")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Refused(f"messages.{place}: not valid Unicode: {error}") from error


def _check_name(name: str, where: str) -> None:
    if not _NAME.fullmatch(name):
        raise Refused(f"{where}: {name[:80]!r} does not match '^[a-zA-Z0-9_-]{{1,64}}$'")


def _field(schema: Any, name: str) -> object:
    return schema.get(name)
