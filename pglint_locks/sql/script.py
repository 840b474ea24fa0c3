"""A script's statements, parsed where a locking clause makes it worth while."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from pglast.parser import ParseError

from pglint_locks.sql.claimshape import has_claim_shape
from pglint_locks.sql.clauses import find_clauses
from pglint_locks.sql.deepstack import max_statement_length
from pglint_locks.sql.literals import LINE_ENDING_SEMICOLON, SPACE
from pglint_locks.sql.lockwords import has_advisory_words, has_joined_lock_words, lock_word_spans
from pglint_locks.sql.parse import Parsed, Template, Unparsed, parse
from pglint_locks.sql.split import Chunk, Comment, Script, recut, split
from pglint_locks.sql.standins import STAND_IN
from pglint_locks.sql.tagged import Tagged, read_tagged
from pglint_locks.sql.tags import has_tags
from pglint_locks.sql.tokens import Tokens
from pglint_locks.text import Span


class ParsedScript:
    """A script in statements.  Each is parsed once, when it is first asked for.

    A statement with lock words that does not parse may be several that a stray quote
    has joined: it is cut where that makes the rest parse.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._results: dict[tuple[int, int], Parsed | Unparsed] = {}
        self._template: tuple[str, Tagged] | None = None

    @classmethod
    def of_text(cls, text: str) -> ParsedScript:
        """The script that psql would make of a text, be it a template's."""
        tagged = read_tagged(text) if has_tags(text) else None
        if tagged is None:
            script = cls(split(text))
            script._part_joined_statements(text)
            return script
        script = cls(split(tagged.text))
        script._template = (text, tagged)
        script._choose_branches(tagged)
        return script

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The statements in order; their spans are offsets into the script."""
        return self._script.chunks

    @property
    def comments(self) -> tuple[Comment, ...]:
        """The comments in order."""
        return self._script.comments

    @cached_property
    def locking(self) -> tuple[int, ...]:
        """Indexes of the statements whose text holds lock words, be it in a literal or two."""
        return tuple(
            i
            for i, chunk in enumerate(self.chunks)
            if _holds_lock_words(chunk.text) or has_joined_lock_words(chunk.text.encode())
        )

    @cached_property
    def unlocked(self) -> tuple[int, ...]:
        """Indexes of the other statements that rules look at.

        Those that may be claims without a lock, and those that may take an advisory lock.
        """
        locking = frozenset(self.locking)
        return tuple(
            i
            for i, chunk in enumerate(self.chunks)
            if i not in locking and _may_claim_or_advise(chunk.text)
        )

    def result(self, index: int) -> Parsed | Unparsed:
        """What parsing a statement gave."""
        chunk = self.chunks[index]
        key = (chunk.span.start, chunk.span.end)
        if key not in self._results:
            self._results[key] = _never_ends(chunk) or self._parse(chunk)
        return self._results[key]

    @property
    def unread(self) -> list[Span]:
        """Lock words in the branches of a template that are not read."""
        return self._template[1].unread if self._template is not None else []

    def _parse(self, chunk: Chunk) -> Parsed | Unparsed:
        if self._template is None:
            return _parse_template(chunk.text) if has_tags(chunk.text) else parse(chunk.text)
        written, tagged = self._template
        as_written = written[chunk.span.start : chunk.span.end]
        result = parse(chunk.text, Template(as_written, tagged.within(chunk.span)))
        if isinstance(result, Unparsed) and as_written != chunk.text:
            return result._replace(is_template=True)
        return result

    def _choose_branches(self, tagged: Tagged) -> None:
        """Read those branches with which the statements parse that hold a lock."""
        chunks = list(self.chunks)
        for index, chunk in enumerate(chunks):
            following = (
                chunks[index + 1].span.start if index + 1 < len(chunks) else len(tagged.text)
            )
            region, met = tagged.region(chunk.span, following)
            if not met or not _holds_lock_words(tagged.full[region.start : region.end]):
                continue
            if not _does_not_parse(self.result(index)):
                continue
            text = tagged.parsing(region, met, _error_in_template)
            if text is not None:
                text = text.rstrip(SPACE)
                chunks[index] = Chunk(Span(chunk.span.start, chunk.span.start + len(text)), text)
                tagged.text = (
                    tagged.text[: region.start]
                    + text.ljust(region.end - region.start)
                    + tagged.text[region.end :]
                )
        comments = sorted((*self.comments, *tagged.comments))
        self._script = Script(tuple(chunks), tuple(comments))
        self._results.clear()

    def _part_joined_statements(self, text: str) -> None:
        index = 0
        while index < len(self.chunks):
            locks = _holds_lock_words(self.chunks[index].text)
            if locks and _does_not_parse(self.result(index)):
                script = recut(text, self._script, index)
                if script is not None and _goes_on_well(script.chunks, index + 1):
                    self._script = script
            index += 1


# Most statements of a dump hold none of these letters, which is told in no time.
def _holds_lock_words(text: str) -> bool:
    folded = text.lower()
    if "update" not in folded and "share" not in folded:
        return False
    return next(iter(lock_word_spans(text)), None) is not None


def _may_claim_or_advise(text: str) -> bool:
    folded = text.lower()
    if "advisory" not in folded and "limit" not in folded and "fetch" not in folded:
        return False
    data = text.encode()
    return has_advisory_words(data) or has_claim_shape(data)


def _parse_template(text: str) -> Parsed | Unparsed:
    """Parse one statement of which tags of a template are part."""
    tagged = read_tagged(text)
    if tagged is None:
        result = parse(text)
        return result._replace(is_template=True) if isinstance(result, Unparsed) else result
    result = parse(tagged.text, Template(text, tagged.places))
    if isinstance(result, Parsed):
        return result
    whole = Span(0, len(text))
    region, met = tagged.region(whole, len(text))
    chosen = tagged.parsing(region, met, _error_in_template)
    if chosen is not None:
        return parse(chosen, Template(text, tagged.places))
    return result._replace(is_template=True)


def _error_in_template(text: str) -> int | None:
    result = parse(text, Template(text, ()))
    return result.span.start if isinstance(result, Unparsed) else None


def _does_not_parse(result: Parsed | Unparsed) -> bool:
    return isinstance(result, Unparsed) and not result.too_large


def may_be_joined(chunk: Chunk) -> bool:
    """Whether a statement may be several that a stray quote has joined."""
    return (
        not chunk.unterminated
        and LINE_ENDING_SEMICOLON.search(chunk.text) is not None
        and _holds_lock_words(chunk.text)
        and _does_not_parse(parse(chunk.text))
    )


def _goes_on_well(chunks: tuple[Chunk, ...], index: int) -> bool:
    return index < len(chunks) and isinstance(parse(chunks[index].text), Parsed)


def clause_spans(chunk: Chunk) -> list[Span]:
    """The locking clauses of a statement that does not parse, as far as they show."""
    text = chunk.text
    if len(text) > max_statement_length() or _never_ends(chunk):
        return list(lock_word_spans(text))
    try:
        tokens = Tokens(_plain(text))
    except ParseError:
        return list(lock_word_spans(text))
    return [clause.span for clause in find_clauses(tokens)] or list(_in_body(chunk, tokens))


def _plain(text: str) -> str:
    """The text with ASCII for names that stand for tags: many others make the scanner slow."""
    return STAND_IN.sub(lambda name: "_" * len(name[0]), text)


def _in_body(chunk: Chunk, tokens: Tokens) -> Iterator[Span]:
    """Lock words in a routine's body: a literal, and so none of the statement's own tokens."""
    words = [word for word in chunk.first_words if word not in ("or", "replace")]
    if words[:1] != ["do"] and words[:2] not in (["create", "function"], ["create", "procedure"]):
        return
    for token in tokens:
        if token.name != "SCONST":
            continue
        literal = tokens.source(token.span)
        quote = literal.find("$", 1) if literal.startswith("$") else literal.find("'")
        start = token.span.start + quote + 1
        body = literal[quote + 1 :]
        comments = [comment.span for comment in split(body).comments]
        for span in lock_word_spans(body):
            if not any(comment.touches(span) for comment in comments):
                yield span.shifted(start)


# The scanner takes a time that grows with the square of an open comment's length.
_LONG_TO_SCAN = 20_000


def _never_ends(chunk: Chunk) -> Unparsed | None:
    """Why a long statement with an open literal or comment is not given to the parser."""
    if not chunk.unterminated or len(chunk.text) <= _LONG_TO_SCAN:
        return None
    return Unparsed("a literal, comment or bracket is never closed", Span(0, 1))
