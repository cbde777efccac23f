"""Finds the tables and views that a statement does not restrict to the rows of the owner, `$1`. PostgreSQL's own parser
parses the statement."""

from collections.abc import Collection, Iterator
from typing import Any

from pglast import ast, parse_sql
from pglast.enums import A_Expr_Kind, BoolExprType

OWNER = 1
"""The number of the owner's parameter."""


def relations(sql: str) -> set[str]:
    """Every table or view in the statement. Common table expressions are left out."""
    return {node.relname for node in _nodes(_statement(sql)) if isinstance(node, ast.RangeVar)} - _ctes(sql)


def loose(sql: str, tenant: Collection[str]) -> list[str]:
    """The tenant tables and views that are not restricted by an `owner_id = $1` in their own scope. Each mention of a
    table or view is one entry."""
    ctes = _ctes(sql)
    return [name for node in _nodes(_statement(sql)) for name in _loose_in(node) if name in tenant and name not in ctes]


def operators(sql: str) -> set[str]:
    return {node.name[-1].sval for node in _nodes(_statement(sql)) if isinstance(node, ast.A_Expr)}


def _statement(sql: str) -> Any:
    (only,) = parse_sql(sql)
    return only.stmt


def _ctes(sql: str) -> set[str]:
    return {node.ctename for node in _nodes(_statement(sql)) if isinstance(node, ast.CommonTableExpr)}


def _nodes(node: Any) -> Iterator[Any]:
    """The node and all its descendants."""
    if isinstance(node, tuple | list):
        for part in node:
            yield from _nodes(part)
    elif isinstance(node, ast.Node):
        yield node
        for name in node:
            yield from _nodes(getattr(node, name))


def _loose_in(node: Any) -> Iterator[str]:
    """The unrestricted tables and views of one scope, without the nested scopes. A scope is a select, an update, a
    delete or an insert."""
    if isinstance(node, ast.SelectStmt):
        yield from _unbound(node.fromClause or (), node.whereClause)
    elif isinstance(node, ast.UpdateStmt):
        yield from _unbound((node.relation, *(node.fromClause or ())), node.whereClause)
    elif isinstance(node, ast.DeleteStmt):
        yield from _unbound((node.relation, *(node.usingClause or ())), node.whereClause)
    elif isinstance(node, ast.InsertStmt) and not _inserts_owner(node):
        yield node.relation.relname


def _unbound(sources: Any, where: Any) -> Iterator[str]:
    tables = list(_tables(sources))
    bound = set(_bound([where, *_join_conditions(sources)]))
    for table in tables:
        alias = table.alias.aliasname if table.alias else table.relname
        if alias not in bound and not ("" in bound and len(tables) == 1):
            yield table.relname


def _tables(sources: Any) -> Iterator[Any]:
    for source in sources:
        if isinstance(source, ast.RangeVar):
            yield source
        elif isinstance(source, ast.JoinExpr):
            yield from _tables((source.larg, source.rarg))


def _join_conditions(sources: Any) -> Iterator[Any]:
    for source in sources:
        if isinstance(source, ast.JoinExpr):
            yield source.quals
            yield from _join_conditions((source.larg, source.rarg))


def _bound(conditions: Any) -> Iterator[str]:
    """Aliases whose owner_id is compared with the parameter. An owner_id without an alias is listed as ''."""
    for condition in conditions:
        if isinstance(condition, ast.BoolExpr) and condition.boolop == BoolExprType.AND_EXPR:
            yield from _bound(condition.args)
        elif _equals_owner(condition) and (path := _path(condition.lexpr))[-1:] == ["owner_id"]:
            yield path[0] if len(path) == 2 else ""


def _equals_owner(condition: Any) -> bool:
    return (
        isinstance(condition, ast.A_Expr)
        and condition.kind == A_Expr_Kind.AEXPR_OP
        and condition.name[-1].sval == "="
        and _is_owner_parameter(condition.rexpr)
    )


def _inserts_owner(node: Any) -> bool:
    columns = [column.name for column in node.cols]
    if "owner_id" not in columns:
        return False
    at = columns.index("owner_id")
    source = node.selectStmt
    rows = source.valuesLists or [[target.val for target in source.targetList]]
    return all(_is_owner_parameter(row[at]) or _path(row[at])[-1:] == ["owner_id"] for row in rows)


def _is_owner_parameter(node: Any) -> bool:
    return isinstance(node, ast.ParamRef) and node.number == OWNER


def _path(node: Any) -> list[str]:
    return [getattr(field, "sval", "*") for field in node.fields] if isinstance(node, ast.ColumnRef) else []
