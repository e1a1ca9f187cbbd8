"""What is in the SQLite file of checkpoints."""

from longrein.storage.tables.database import Layout

_MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        # A thread, or a tree: who needs an object.
        "CREATE TABLE owners (key INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE)",
        """CREATE TABLE objects (
            key INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, packed INTEGER NOT NULL
        )""",
        # Apart from the digests, so that looking for one does not read the bytes of others.
        "CREATE TABLE contents (object INTEGER PRIMARY KEY, data BLOB NOT NULL)",
        """CREATE TABLE refs (
            owner INTEGER NOT NULL, object INTEGER NOT NULL, PRIMARY KEY (owner, object)
        ) WITHOUT ROWID""",
        "CREATE INDEX refs_by_object ON refs (object)",
        """CREATE TABLE changes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            thread INTEGER NOT NULL, seq INTEGER NOT NULL, run TEXT NOT NULL, call TEXT NOT NULL,
            origin TEXT NOT NULL, path BLOB NOT NULL, before BLOB NOT NULL, after BLOB,
            sure INTEGER NOT NULL
        )""",
        "CREATE INDEX changes_by_seq ON changes (thread, seq)",
        "CREATE INDEX changes_by_path ON changes (thread, path, id)",
        "CREATE INDEX changes_by_call ON changes (thread, call)",
        # What each folder of a tree was at the last look.
        """CREATE TABLE folders (
            tree INTEGER NOT NULL, path BLOB NOT NULL, state BLOB NOT NULL,
            PRIMARY KEY (tree, path)
        ) WITHOUT ROWID""",
        """CREATE TABLE users (
            tree INTEGER NOT NULL, thread INTEGER NOT NULL, PRIMARY KEY (tree, thread)
        ) WITHOUT ROWID""",
        # Commands that began and did not end.
        """CREATE TABLE commands (
            id INTEGER PRIMARY KEY AUTOINCREMENT, tree INTEGER NOT NULL, thread INTEGER NOT NULL,
            seq INTEGER NOT NULL, run TEXT NOT NULL, call TEXT NOT NULL, mark INTEGER NOT NULL
        )""",
        # What folders were when such a command began, if anybody has looked since. NULL: not there.
        """CREATE TABLE folders_then (
            command INTEGER NOT NULL, path BLOB NOT NULL, state BLOB, PRIMARY KEY (command, path)
        ) WITHOUT ROWID""",
        # The last rewind of each thread; `mark` is the last change before it.
        """CREATE TABLE restores (
            thread INTEGER PRIMARY KEY, seq INTEGER NOT NULL, mark INTEGER NOT NULL,
            done INTEGER NOT NULL
        )""",
    ),
    (
        # The tree of threads that a change belongs to, by its root; of a change that a child made,
        # where it and those above it stood.
        "ALTER TABLE changes ADD COLUMN root TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE changes ADD COLUMN above BLOB",
        "ALTER TABLE commands ADD COLUMN root TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE commands ADD COLUMN above BLOB",
        """UPDATE changes SET root =
        (SELECT substr(CAST(name AS TEXT), 8) FROM owners WHERE key = thread)""",
        "DROP INDEX changes_by_path",
        "CREATE INDEX changes_by_path ON changes (root, path, id)",
        "CREATE INDEX changes_below ON changes (root) WHERE above IS NOT NULL",
    ),
)

LAYOUT = Layout(0x4C524650, _MIGRATIONS, 4096)
