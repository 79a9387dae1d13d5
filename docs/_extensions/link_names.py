"""Extension of Sphinx: public names in the pages are links to the reference."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.transforms import SphinxTransform

API = Path(__file__).parents[1] / "api" / "index.md"


def public_names() -> dict[str, str]:
    """Full names of all public names that cannot be mistaken for words."""
    listed = re.findall(r"currentmodule:: (silvan\.\w+)", API.read_text(encoding="utf-8"))
    names = {
        name: f"{module}.{name}"
        for module in ("silvan", *listed)
        for name in getattr(import_module(module), "__all__", ())
    }
    return {name: full for name, full in names.items() if re.search(r"[A-Z]|\w_\w", name)}


def is_inside(node: nodes.Node | None, kinds: Any) -> bool:
    """Whether a node or one above it is of these kinds."""
    while node is not None and not isinstance(node, kinds):
        node = node.parent
    return node is not None


class LinkNames(SphinxTransform):
    """Makes the first mention of a public name on a page a link to its reference."""

    default_priority = 200

    def apply(self, **options: Any) -> None:
        """Wrap literals that are names; those in headings and in links stay as they are."""
        left = public_names()
        for literal in list(self.document.findall(nodes.literal)):
            name = re.sub(r"^silvan\.([a-z_]+\.)?|\(\)$", "", literal.astext())
            if name in left and not is_inside(
                literal, nodes.title | nodes.reference | pending_xref
            ):
                target = pending_xref(
                    "",
                    refdomain="py",
                    reftype="obj",
                    reftarget=left.pop(name),
                    refexplicit=True,
                    refwarn=False,
                )
                literal.replace_self(target)
                target += literal


def setup(app: Any) -> dict[str, bool]:
    """Register the transform."""
    app.add_transform(LinkNames)
    return {"parallel_read_safe": True}
