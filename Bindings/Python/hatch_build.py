"""Makes a wheel with the library one for Linux. Without the library, the wheel uses libmovtool of the system."""

import pathlib

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class LibraryHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if pathlib.Path(self.root, "src/movtool/libmovtool.so").exists():
            build_data["pure_python"] = False
            build_data["tag"] = "py3-none-manylinux_2_28_x86_64"
