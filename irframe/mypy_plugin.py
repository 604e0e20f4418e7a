"""Types of ``.ireval`` for mypy: ``plugins = ["irframe.mypy_plugin"]`` in its configuration.

pandas and xarray let any attribute pass, so that without the plugin a verb that does not exist is
found when it is called. Other checkers take no plugins; for these see `irframe.typed`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy.nodes import MypyFile
    from mypy.plugin import AttributeContext, Plugin
    from mypy.types import Type

TYPED = "irframe.typed"
OWNERS = {
    "pandas.core.frame.DataFrame": "FrameVerbs",
    "pandas.core.series.Series": "FrameVerbs",
    "xarray.core.dataset.Dataset": "CubeVerbs",
    "xarray.core.dataarray.DataArray": "ScoresVerbs",
}
"""Class -> the class of the stub that lists its verbs."""


def plugin(version: str) -> "type[Plugin]":  # noqa: ARG001 - mypy passes it
    """Return the plugin, as mypy asks for it."""
    from mypy.plugin import Plugin  # noqa: PLC0415 - only mypy calls this

    class Verbs(Plugin):
        """Gives ``.ireval`` the type that the stub states."""

        def get_additional_deps(self, file: "MypyFile") -> list[tuple[int, str, int]]:
            """Have the stub read for whatever file imports irframe."""
            return [(10, TYPED, -1)] if _imports_irframe(file) else []

        def get_attribute_hook(self, fullname: str) -> "Callable[[AttributeContext], Type] | None":
            """Return what decides the type of ``.ireval``."""
            return _verbs_of if fullname.endswith(".ireval") else None

    return Verbs


def _imports_irframe(file: "MypyFile") -> bool:
    named = [getattr(node, "ids", None) or [(getattr(node, "id", ""), "")] for node in file.imports]
    modules = {name.partition(".")[0] for names in named for name, _ in names}
    return "irframe" in modules and not file.fullname.startswith("irframe.")


def _verbs_of(context: "AttributeContext") -> "Type":
    """Return the type of the verbs of an object, where the stub is known."""
    from mypy.types import Instance  # noqa: PLC0415 - only mypy calls this

    checker: Any = context.api
    stub = checker.modules.get(TYPED)
    mro = context.type.type.mro if isinstance(context.type, Instance) else []
    owner = next((OWNERS[base.fullname] for base in mro if base.fullname in OWNERS), None)
    verbs = stub and stub.names.get(owner)
    return Instance(verbs.node, []) if verbs else context.default_attr_type
