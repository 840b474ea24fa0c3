"""The command line: its commands and options, and how a run ends.

What a command does is in `pglint_locks.commands`, imported when it is asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

import click

from pglint_locks import __version__
from pglint_locks.errors import UsageError, did_you_mean
from pglint_locks.options import OPTIONS, Option

WRONG_USE = 2
INTERRUPTED = 130

_Function = TypeVar("_Function", bound=Callable[..., object])


class _Group(click.Group):
    """The commands; an unknown one is answered with the nearest, a path with `check`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None:
            import os

            is_path = os.path.lexists(name) or name == "-"
            hint = (
                f"; to lint it: pglint-locks check {name}"
                if is_path
                else did_you_mean(name, self.list_commands(ctx))
            )
            raise click.UsageError(f"no command is called '{name}'{hint}", ctx)
        return super().resolve_command(ctx, args)


class _Command(click.Command):
    """A command whose help shows its options under headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        topics: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record and isinstance(parameter, click.Option):
                topic = _TOPICS.get(parameter.name or "", "Options")
                topics.setdefault(topic, []).append(record)
        for topic, records in topics.items():
            with formatter.section(topic):
                formatter.write_dl(records)


_ON_COMMAND_LINE = [option for option in OPTIONS if option.on_command_line]
_TOPICS = {option.key.replace("-", "_"): option.topic for option in _ON_COMMAND_LINE}
_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def _click_option(option: Option) -> Callable[[_Function], _Function]:
    names = [f"--{option.key}", *([f"-{option.short}"] if option.short else [])]
    if isinstance(option.default, bool):
        return click.option(*names, is_flag=True, default=None, help=option.help)
    kind = option.kind
    return click.option(*names, multiple=kind.repeatable, metavar=kind.metavar, help=option.help)


def _with_options(function: _Function, *keys: str) -> _Function:
    """Give a command the options of these keys, or all."""
    for option in reversed(_ON_COMMAND_LINE):
        if not keys or option.key in keys:
            function = _click_option(option)(function)
    return function


def _with_schema(function: _Function) -> _Function:
    return _with_options(function, "schema", "database-url", "config", "isolated", "verbose")


def _given(values: dict[str, Any]) -> dict[str, object]:
    """The options that were given, by key."""
    return {
        key.replace("_", "-"): value
        for key, value in values.items()
        if value is not None and value is not False and value != ()
    }


@click.group(cls=_Group, context_settings=_CONTEXT, invoke_without_command=True)
@click.version_option(__version__, "-V", "--version", message="pglint-locks %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Find PostgreSQL row-locking clauses that will not do what their author meant."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("a command is missing; to lint this directory: pglint-locks check")


@cli.command(cls=_Command, short_help="Lint SQL files, directories, or standard input.")
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@_with_options
def check(paths: tuple[str, ...], **options: Any) -> int:
    """Lint SQL files, directories of them (default: this one), or standard input (-).

    Ends with status 0 if nothing is found at or above --fail-on, 1 if something is, and 2
    for wrong use, unreadable files and configuration, and internal errors.
    """
    from pglint_locks.commands.check import check as run_check

    return run_check(paths, _given(options))


@cli.command(cls=_Command, short_help="Print the page of a rule, or list all rules.")
@click.argument("rule", required=False, metavar="CODE|PREFIX|NAME")
@click.option("--all", "everything", is_flag=True, help="List all rules.")
@click.option("--output-format", default="text", metavar="FORMAT", help="text or json.")
def explain(rule: str | None, everything: bool, output_format: str) -> int:
    """Print the page of a rule: what it finds, why that does harm, how to repair it.

    For a prefix of codes, such as PGL1, list its rules.
    """
    from pglint_locks.commands.explain import explain as run_explain

    return run_explain(rule, everything, output_format)


@cli.command(cls=_Command, short_help="Print the settings, and where each is from.")
@click.argument("path", required=False, metavar="[PATH]")
@_with_options
def config(path: str | None, **options: Any) -> int:
    """Print each setting that holds for PATH (default: this directory) and where it is from."""
    from pglint_locks.commands.config import show_config

    return show_config("." if path is None else path, _given(options))


@cli.group(
    cls=_Group,
    invoke_without_command=True,
    short_help="Show what is known of tables, or write it down.",
)
@click.pass_context
def schema(ctx: click.Context) -> None:
    """What is known of tables, from the schema and from the files that are linted."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("a command is missing; to list the tables: pglint-locks schema show")


@schema.command("show", cls=_Command, short_help="Print what is known of a table, or of all.")
@click.argument("table", required=False, metavar="[TABLE]")
@click.option("--output-format", default="text", metavar="FORMAT", help="text or json.")
@_with_schema
def schema_show(table: str | None, output_format: str, **options: Any) -> int:
    """Print what is known of TABLE: columns, keys, who refers to it, and where that is from.

    Without TABLE, list all tables.  Files that are linted below this directory count too
    unless schema-from-sources is false.
    """
    from pglint_locks.commands.schema import show_schema

    return show_schema(table, _given(options), output_format)


@schema.command("dump", cls=_Command, short_help="Print a snapshot of the schema, for --schema.")
@_with_schema
def schema_dump(**options: Any) -> int:
    """Print a snapshot of the schema as JSON; --schema reads it where there is no server."""
    from pglint_locks.commands.snapshot import dump

    return dump(_given(options))


@cli.command(cls=_Command, short_help="Serve an editor: the Language Server Protocol.")
@click.option("--tcp", metavar="HOST:PORT", help="Listen here, not on standard input.")
def lsp(tcp: str | None) -> int:
    """Serve an editor over standard input and output, by the Language Server Protocol."""
    from pglint_locks.commands.lsp import serve

    return serve(tcp)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit status."""
    try:
        status = cli.main(list(arguments), prog_name="pglint-locks", standalone_mode=False)
    except click.UsageError as error:
        return _wrong_use(error, arguments)
    except (UsageError, click.ClickException) as error:
        return _fail(str(error))
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Exception as error:
        return _unforeseen(error)
    return status or 0


def main() -> NoReturn:
    """Run the command line of this process, and end the process."""
    from pglint_locks.commands.streams import stand_in_for_closed

    stand_in_for_closed()
    sys.exit(_finish(run(sys.argv[1:])))


def _finish(status: int) -> int:
    """Write what standard output still holds; the status, or that of a failure to do so."""
    from pglint_locks.commands.streams import flush

    try:
        flush()
    except UsageError as error:
        return _fail(str(error))
    return status


def _unforeseen(error: Exception) -> int:
    # What we read and write ourselves tells its own errors, and opening a file has its name:
    # this is click, printing help or the version.
    if isinstance(error, OSError) and error.filename is None:
        from pglint_locks.commands.streams import give_up_output

        try:
            give_up_output(error)
        except UsageError as told:
            return _fail(str(told))
        return 0
    import traceback

    traceback.print_exc()
    return _fail(f"internal error: {type(error).__name__}: {error}; please report it")


def _wrong_use(error: click.UsageError, arguments: Sequence[str]) -> int:
    """Tell what is wrong in one line, and in another where to read on."""
    message = error.format_message()
    if isinstance(error, click.NoSuchOption) and error.ctx:
        known = [name for param in error.ctx.command.get_params(error.ctx) for name in param.opts]
        nearest = did_you_mean(error.option_name, known)
        message = f"there is no option '{error.option_name}'{nearest}"
    from pglint_locks.commands.streams import complain, tell

    complain(message)
    command = next((word for word in arguments if word in cli.commands), "")
    tell(f"Try '{f'pglint-locks {command}'.strip()} --help'.")
    return WRONG_USE


def _fail(message: str) -> int:
    from pglint_locks.commands.streams import complain

    complain(message)
    return WRONG_USE
