"""Further runs and judgments added to a store."""

from dataclasses import replace
from typing import Any

import pandas as pd

from irframe.cubes.stored.block import HITS, LISTS, MANIFEST, QRELS, ROWS, Blocks
from irframe.cubes.stored.contents import (
    LOCK,
    borders,
    by_block,
    checksums_of,
    coded_judgments,
    finish,
    frame_of,
    keep_frame,
    mark_of,
    sort_blocks,
    whole_facts,
    write_judgments,
)
from irframe.cubes.stored.folder import Folder
from irframe.cubes.stored.sorted_rows import Seen, sort_runs
from irframe.errors import FileFormatError, InputError, StoreError
from irframe.files.as_qrels import Qrels, as_qrels
from irframe.files.folders import home
from irframe.files.formats import QRELS as QRELS_FORMAT
from irframe.files.role_columns import require_columns
from irframe.files.scanned_runs import ScannedRuns
from irframe.names import FILES

ANEW = "make a new store of all runs"


def append_runs(folder: Folder, runs: ScannedRuns, qrels: Qrels | None, *, progress: bool) -> None:
    """Add runs and judgments to a store; see `irframe.Store.append`."""
    runs, problems = runs.sound()
    with folder.locked(LOCK):
        facts = whole_facts(folder)
        folder.keep({MANIFEST, LOCK, *checksums_of(facts)})
        frame = _judgments(folder, facts, qrels)
        new, replaced = _news(facts, runs)
        if not new.files and mark_of(frame) == facts["made"]["qrels"]:
            return
        added = _added(folder, facts, new, frame, replaced, progress=progress)
        finish(folder, facts | added | {"problems": problems})


def _judgments(folder: Folder, facts: dict[str, Any], qrels: Qrels | None) -> pd.DataFrame:
    """Return the judgments of a store with those that are new."""
    before = frame_of(folder, facts)
    if qrels is None:
        return before
    added = _in_columns_of(before, as_qrels(qrels))
    frame = pd.concat([before, added], ignore_index=True).drop_duplicates(ignore_index=True)
    topics = coded_judgments(frame).topics
    known = coded_judgments(before).topics
    lost = topics.difference(known, sort=False).intersection(pd.Index(facts["topics"]), sort=False)
    if len(lost):
        found = f"{len(lost)} that runs in the store had when they were not judged"
        raise StoreError("judgments of topics that are new", found, ANEW, lost)
    return frame


def _in_columns_of(before: pd.DataFrame, added: pd.DataFrame) -> pd.DataFrame:
    """Return judgments with the columns of those of a store."""
    ours, theirs = require_columns(before, QRELS_FORMAT), require_columns(added, QRELS_FORMAT)
    named = added.rename(columns={name: ours.get(role, name) for role, name in theirs.items()})
    differing = [*before.columns.symmetric_difference(named.columns)]
    if differing:
        found = "other columns"
        raise InputError("judgments with the columns of those in the store", found, "", differing)
    return named[before.columns]


def _news(facts: dict[str, Any], runs: ScannedRuns) -> tuple[ScannedRuns, list[int]]:
    """Return the files that are to be read, and the systems whose lists they replace."""
    before = {name: state for name, *state in facts["made"][FILES]}
    now = {name: state for name, *state in runs.states()}
    changed = {home(name) for name in now.keys() & before.keys() if now[name] != before[name]}
    files = [name for name in runs.files if name not in before or home(name) in changed]
    lacking = [name for name in before if home(name) in changed and name not in runs.files]
    homes = facts["homes"]
    replaced = [system for system in facts["systems"] if changed & {*homes[system]}]
    lacking += [each for system in replaced for each in homes[system] if each not in changed]
    if lacking:
        wanted, found = "all files of systems of which one has changed", "some are not among these"
        raise StoreError(wanted, found, f"name them too, or {ANEW}", lacking)
    numbers = [facts["systems"].index(system) for system in replaced]
    return replace(runs, files=tuple(files)), numbers


def _added(
    folder: Folder,
    facts: dict[str, Any],
    runs: ScannedRuns,
    qrels: pd.DataFrame,
    replaced: list[int],
    *,
    progress: bool,
) -> dict[str, Any]:
    """Write blocks with the rows and judgments added, and return what is known then."""
    judgments = coded_judgments(qrels)
    seen = Seen.before(facts, judgments.topics)
    stretches, _ = sort_runs(runs, folder, judgments.topics, seen)
    _refuse_unlike(facts, seen, replaced)
    ends = [*facts["ends"], *_further(facts, seen)]
    tables = {ROWS: facts["blocks"][ROWS]}
    blocks = Blocks(folder, pd.Index(list(seen.systems)), judgments.topics, ends, tables)
    tables[QRELS] = write_judgments(blocks, judgments)
    left = {*by_block(blocks, stretches)}
    for number, checksum in enumerate(tables[QRELS]):
        before = facts["blocks"][QRELS][number : number + 1]
        left |= {number} if replaced or before != [checksum] else set()
    made = sort_blocks(blocks, sorted(left), stretches, replaced=replaced, progress=progress)
    for kind in (ROWS, LISTS, HITS):
        known = dict(enumerate(facts["blocks"][kind]))
        known |= {number: checksums[kind] for number, checksums in made.items()}
        tables[kind] = [known[number] for number in range(blocks.number)]
    files = {name: state for name, *state in [*facts["made"][FILES], *runs.states()]}
    files |= {name: state for name, *state in qrels.attrs.get(FILES, [])}
    noted = {FILES: [[name, *state] for name, state in files.items()], "qrels": mark_of(qrels)}
    homes = {name: [*facts["homes"].get(name, []), here] for name, here in seen.homes.items()}
    return seen.facts | {
        "made": facts["made"] | noted,
        "homes": facts["homes"] | {name: [*dict.fromkeys(each)] for name, each in homes.items()},
        "judged": len(judgments.topics),
        "ends": ends,
        "frame": keep_frame(folder, qrels),
        "blocks": tables,
    }


def _refuse_unlike(facts: dict[str, Any], seen: Seen, replaced: list[int]) -> None:
    """Raise if files do not go together with those of a store."""
    if seen.columns != facts["columns"]:
        wanted, found = f"files with {' and '.join(facts['columns'])}", " and ".join(seen.columns)
        raise FileFormatError(wanted, found, ANEW)
    gone = [facts["systems"][each] for each in replaced if facts["systems"][each] not in seen.homes]
    if gone:
        wanted = "the systems of files that have changed"
        raise StoreError(wanted, "files without them", ANEW, gone)


def _further(facts: dict[str, Any], seen: Seen) -> list[int]:
    """Return where blocks of topics end that are not in the store yet."""
    known = facts["ends"][-1]
    new = replace(seen, counts=seen.counts[known:])
    return [known + end for end in borders(new, facts["made"]["topics"])]
