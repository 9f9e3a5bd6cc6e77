"""Archives from elsewhere: unpacked only where they should go, and only as much as they should hold."""

import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import Final

from adaptive_sampling.errors import InputError

MOST_BYTES: Final = 8_000_000_000
"""What an archive may hold unpacked."""

MOST_FILES: Final = 100_000
"""How many files an archive may hold."""


def unpack_folder(
    archive: str | Path,
    name: str,
    target: str | Path,
    *,
    most_bytes: int = MOST_BYTES,
    most_files: int = MOST_FILES,
) -> None:
    """Unpack one folder of a tar archive, whole or not at all.

    Parameters
    ----------
    archive : str or Path
        Compressed in any way that Python knows.
    name : str
        The folder, at the top of the archive or inside its only folder.
    target : str or Path
        What the folder becomes; it must not exist, or be empty.
    most_bytes, most_files : int
        Limits against archives that would fill the disk.

    Raises
    ------
    InputError
        If it is no tar archive, is cut short, lacks the folder, holds too much, or a member of the folder would
        lie outside it or is neither file nor folder (a link, a device).
    """
    target = Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with (
            tarfile.open(archive) as members,
            tempfile.TemporaryDirectory(prefix=".unpacked-", dir=target.parent) as temporary,
        ):
            size = count = 0
            for member in members:
                inner = _inside(archive, member, name)
                if inner is None:
                    continue
                if not (member.isfile() or member.isdir()):
                    raise InputError(
                        f"{archive}: {member.name} is a link or device, expected files and folders"
                    )
                size, count = size + member.size, count + 1
                if size > most_bytes or count > most_files:
                    raise InputError(
                        f"{archive}: holds more than {most_bytes} bytes or {most_files} files in {name}, refused"
                    )
                members.extract(member.replace(name=inner), temporary, filter="data")
            if not count:
                raise InputError(f"{archive}: no folder {name} in it")
            if target.exists():
                target.rmdir()
            (Path(temporary) / "unpacked").replace(target)
    except FileNotFoundError:
        raise InputError(f"{archive}: no such file") from None
    except tarfile.FilterError as error:
        raise InputError(f"{archive}: a member is refused ({error})") from None
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"{archive}: not readable as a tar archive, or cut short ({error})") from None


def _inside(archive: str | Path, member: tarfile.TarInfo, name: str) -> str | None:
    """Path of a member of the wanted folder under the name ``unpacked``; None for other members."""
    parts = PurePosixPath(member.name).parts
    if ".." in parts or PurePosixPath(member.name).is_absolute():
        raise InputError(f"{archive}: {member.name} would lie outside the archive's folder, refused")
    parts = tuple(part for part in parts if part != ".")
    if name not in parts[:2]:
        return None
    rest = parts[parts.index(name) + 1 :]
    return str(PurePosixPath("unpacked", *rest))
