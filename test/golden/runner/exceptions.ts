// The list of known exceptions, test/golden/exceptions.md: for each suite and reason the cases that differ.
//   ## suite    ### reason    - `group`: name name ...      a case's id is group/name
// Text of other forms, and sections without a suite's name, are for readers and stay as they are.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { GOLDEN } from './data-sets.ts';
import { SUITES, type Suite } from './suites.ts';

const FILE = path.join(GOLDEN, 'exceptions.md');
const GROUP_LINE = /^- `([^`]+)`: (.+)$/;

/** Heading of cases that differ and have no reason yet. Reasons are written by hand: a pattern over the difference could only guess them. */
export const UNEXPLAINED = 'Unexplained';

/** Reason by the case's id. */
export type Exceptions = ReadonlyMap<string, string>;

interface Section {
  /** null: text for readers before, between and after the suites. */
  readonly suite: Suite | null;
  readonly lines: readonly string[];
}

function readSections(): Section[] {
  const sections: Array<{ suite: Suite | null; lines: string[] }> = [{ suite: null, lines: [] }];
  for (const line of readFileSync(FILE, 'utf8').trimEnd().split('\n')) {
    const title = /^## (.+)$/.exec(line)?.[1];
    if (title !== undefined) sections.push({ suite: SUITES.find((suite) => suite === title) ?? null, lines: [] });
    sections[sections.length - 1].lines.push(line);
  }
  return sections;
}

export function readExceptions(suite: Suite): Exceptions {
  const reasons = new Map<string, string>();
  let reason = '';
  for (const line of readSections().find((section) => section.suite === suite)?.lines ?? []) {
    reason = /^### (.+)$/.exec(line)?.[1] ?? reason;
    const group = GROUP_LINE.exec(line);
    for (const name of group?.[2].split(' ') ?? []) reasons.set(`${group?.[1]}/${name}`, reason);
  }
  return reasons;
}

/** Rewrites the sections of the given suites; the reasons with the most cases come first. */
export function writeExceptions(found: ReadonlyMap<Suite, Exceptions>): void {
  const text = readSections().flatMap(({ suite, lines }) => {
    const exceptions = suite === null ? undefined : found.get(suite);
    return exceptions ? [`## ${suite}`, '', ...linesOf(exceptions)] : lines;
  });
  writeFileSync(FILE, `${text.join('\n').trimEnd()}\n`);
}

function linesOf(exceptions: Exceptions): string[] {
  const byReason = new Map<string, string[]>();
  for (const [id, reason] of exceptions) byReason.set(reason, [...(byReason.get(reason) ?? []), id]);
  const reasons = [...byReason].sort(([a, left], [b, right]) => right.length - left.length || (a < b ? -1 : 1));
  return reasons.flatMap(([reason, ids]) => {
    const byGroup = new Map<string, string[]>();
    for (const id of ids) {
      const slash = id.lastIndexOf('/');
      const group = id.slice(0, slash);
      byGroup.set(group, [...(byGroup.get(group) ?? []), id.slice(slash + 1)]);
    }
    const groups = [...byGroup].sort(([a], [b]) => (a < b ? -1 : 1));
    return [`### ${reason}`, '', ...groups.map(([group, names]) => `- \`${group}\`: ${names.sort().join(' ')}`), ''];
  });
}
