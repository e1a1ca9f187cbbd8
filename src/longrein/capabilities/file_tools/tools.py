"""All file tools."""

from longrein.capabilities.file_tools.forms import with_other_forms
from longrein.capabilities.file_tools.gate import Gate
from longrein.capabilities.file_tools.looking import looking_tools
from longrein.capabilities.file_tools.moving import moving_tools
from longrein.capabilities.file_tools.place import Place
from longrein.capabilities.file_tools.searching import searching_tools
from longrein.capabilities.file_tools.writing import writing_tools
from longrein.tools.define import Tool


def file_tools(place: Place) -> list[Tool]:
    """Tools for the files of a place.

    Whoever offers them installs the slice `SEEN`, and for files of the thread `THREAD_FILES`.

    >>> from longrein.workspace.memory import MemoryFiles
    >>> files = MemoryFiles()
    >>> [tool.name for tool in file_tools(Place(lambda ctx: files))]
    ['ls', 'read_file', 'write_file', 'edit_file', 'delete', 'move', 'glob', 'grep']
    """
    gate = Gate(place)
    makers = (looking_tools, writing_tools, moving_tools, searching_tools)
    return [with_other_forms(tool) for make in makers for tool in make(gate)]
