"""Small changes of Python source (mutants), each of which a test should notice."""

from __future__ import annotations

import ast
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple


def _exchanges(text: str) -> dict[type[ast.AST], list[type[ast.AST]]]:
    """Return the classes that take the place of the first class of each part of a text."""
    rows = ([getattr(ast, name) for name in part.split()] for part in text.split(","))
    return {first: others for first, *others in rows}


#: Each comparison, the same but for its bound, and the opposite.
_COMPARED = _exchanges("Lt LtE GtE, LtE Lt Gt, Gt GtE LtE, GtE Gt Lt, Eq NotEq, NotEq Eq")
_COMPARED |= _exchanges("Is IsNot, IsNot Is, In NotIn, NotIn In")

_COMBINED = _exchanges("Add Sub, Sub Add, Mult Div, Div Mult, FloorDiv Div, Mod Mult, Pow Mult")
_COMBINED |= _exchanges("BitOr BitAnd, BitAnd BitOr, And Or, Or And")

_PAIRS = [("min", "max"), ("minimum", "maximum"), ("argmin", "argmax"), ("fmin", "fmax")]
_PAIRS += [("nanmin", "nanmax"), ("any", "all"), ("floor", "ceil")]
_EXCHANGED = dict(_PAIRS) | {second: first for first, second in _PAIRS}


class Mutant(NamedTuple):
    """One change of one file.

    Attributes
    ----------
    path : Path
        Relative to the project.
    line : int
    function : int
        The first line of the function that is changed, decorators included; 0 outside of functions.
    before, after : str
    source : bytes
        The changed file.
    """

    path: Path
    line: int
    function: int
    before: str
    after: str
    source: bytes


class Finder(ast.NodeVisitor):
    """Collects the mutants of one file.

    Nothing is changed in docstrings, annotations, decorators, errors, f-strings, `__all__`,
    protocols and code for type checkers alone; an error may be left out as a whole.
    """

    def __init__(self, path: Path, source: bytes) -> None:
        self.path, self.source = path, source
        lengths = [len(line) for line in source.splitlines(keepends=True)]
        self.starts = [sum(lengths[:i]) for i in range(len(lengths))]
        self.function = 0
        self.mutants: list[Mutant] = []
        self.visit(ast.parse(source))

    def replace(self, node: Any, text: str) -> None:
        """Add the mutant in which a node is replaced by other source."""
        start = self.starts[node.lineno - 1] + node.col_offset
        end = self.starts[node.end_lineno - 1] + node.end_col_offset
        changed = self.source[:start] + text.encode() + self.source[end:]
        before = ast.unparse(node)
        self.mutants.append(Mutant(self.path, node.lineno, self.function, before, text, changed))

    def edit(self, node: Any, **fields: Any) -> None:
        """Add the mutant in which a node has other fields."""
        edited = copy(node)
        for name, value in fields.items():
            setattr(edited, name, value)
        text = ast.unparse(edited)
        self.replace(node, f"({text})" if isinstance(node, ast.expr) else text)

    # Expressions.

    def visit_Compare(self, node: ast.Compare) -> None:
        for i, operator in enumerate(node.ops):
            for other in _COMPARED[type(operator)]:
                self.edit(node, ops=[*node.ops[:i], other(), *node.ops[i + 1 :]])
        self.generic_visit(node)

    def visit_combined(self, node: Any) -> None:
        """Exchange the operator of arithmetic, of Booleans and of `+=`."""
        for other in _COMBINED.get(type(node.op), ()):
            self.edit(node, op=other())
        self.generic_visit(node)

    visit_BinOp = visit_BoolOp = visit_combined  # noqa: N815

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        self.replace(node, f"({ast.unparse(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.edit(node, value=not node.value)
        elif isinstance(node.value, int | float):
            self.edit(node, value=node.value + 1)

    def visit_Call(self, node: ast.Call) -> None:
        first, second = (*node.args, None, None)[:2]
        is_starred = any(isinstance(each, ast.Starred) for each in (first, second))
        if second is not None and not is_starred and ast.dump(first) != ast.dump(second):
            self.edit(node, args=[second, first, *node.args[2:]])
        name = "attr" if isinstance(node.func, ast.Attribute) else "id"
        other = _EXCHANGED.get(getattr(node.func, name, ""))
        if other is not None:
            func = copy(node.func)
            setattr(func, name, other)
            self.edit(node, func=func)
        self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Ignore f-strings: they are messages, and their parts have no exact place."""

    # Statements.

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.replace(node, "pass")
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self.replace(node, "pass")

    def visit_Break(self, node: ast.Break | ast.Continue) -> None:
        self.replace(node, "pass")

    visit_Continue = visit_Break  # noqa: N815

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.replace(node, "pass")
        self.visit_combined(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if any(isinstance(each, ast.Name) and each.id == "__all__" for each in node.targets):
            return
        # Without an assignment to a new name nothing would run.
        written, read = (names_in(part) for part in (node.targets, [node.value]))
        if written & read or not isinstance(node.targets[0], ast.Name | ast.Tuple):
            self.replace(node, "pass")
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and "TypeAlias" not in names_in([node.annotation]):
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" not in names_in([node.test]):
            self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        outer, self.function = self.function, first_line(node)
        defaults = [default for default in node.args.kw_defaults if default is not None]
        for part in (*node.args.defaults, *defaults, *node.body):
            self.visit(part)
        self.function = outer

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if "Protocol" not in names_in(node.bases):
            for part in node.body:
                self.visit(part)


def first_line(node: ast.FunctionDef) -> int:
    """Return the line that the code object of a function names as its first one."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def names_in(nodes: list[Any]) -> set[str]:
    """Return the names that nodes hold."""
    parts = (part for node in nodes for part in ast.walk(node))
    return {part.id for part in parts if isinstance(part, ast.Name)}
