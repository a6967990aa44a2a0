# SPDX-License-Identifier: BSD-3-Clause
"""copied_build.py - a build folder that is another one but for one library."""

import shutil
from pathlib import Path


class CopiedBuild:
    """Has links to everything but lib/ and the command, which are copied: both look for the other beside themselves, and
    a link would lead them back."""

    def __init__(self, build: Path, folder: Path):
        self.build, self.folder = build, folder
        shutil.rmtree(folder, ignore_errors=True)
        for name in ("lib", "bin"):
            (folder / name).mkdir(parents=True)
        for entry in build.iterdir():
            if entry.name not in ("lib", "bin"):
                (folder / entry.name).symlink_to(entry)
        for program in (build / "bin").iterdir():
            if program.name == "drom":
                shutil.copy2(program, folder / "bin" / "drom")
            else:
                (folder / "bin" / program.name).symlink_to(program)
        for library in (build / "lib").glob("*.so*"):
            shutil.copy2(library, folder / "lib" / library.name, follow_symlinks=False)

    def replace_library(self, right: Path, by: Path) -> None:
        shutil.copy2(by, self.folder / "lib" / right.name)

    def path_in(self, text: str) -> str:
        """Returns the text with the paths of the build as those of this copy."""
        return text.replace(str(self.build), str(self.folder))
