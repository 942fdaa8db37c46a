// java.util.regex: Pattern and Matcher on the engine in src/regex/, which runs in linear time and has no back references.
import { JavaPattern, type Matcher } from '../../../regex/java-pattern.ts';
import { Replacement } from '../../../regex/replacement.ts';
import { spendText } from '../../java/budget.ts';
import { defineClass } from '../../java/class-info.ts';
import { illegalArgument, nullPointer, raise } from '../../java/faults.ts';
import { textOf } from '../../java/objects.ts';
import type { Value } from '../../java/values.ts';
import { matcherOf } from '../../runtime/patterns.ts';
import { streamOf } from '../collections/streams.ts';
import { textArray } from '../collections/text-array.ts';

const noMatch = (message = 'No match found'): never => raise('java.lang.IllegalStateException', message);

/** java.util.regex.Matcher: a matcher of the engine, and the last match. */
export class MatcherState {
  readonly pattern: JavaPattern;
  readonly text: string;
  /** [start, end] of the match and of each group; null without a match. */
  #groups: readonly number[] | null = null;
  #matcher: Matcher;

  constructor(pattern: JavaPattern, text: string) {
    this.pattern = pattern;
    this.text = text;
    this.#matcher = matcherOf(pattern, text);
  }

  /** The current match of a matcher. */
  static at(pattern: JavaPattern, text: string, matcher: Matcher): MatcherState {
    const state = new MatcherState(pattern, text);
    state.#groups = [...matcher.groups];
    return state;
  }

  reset(): this {
    this.#groups = null;
    this.#matcher = matcherOf(this.pattern, this.text);
    return this;
  }

  find(): boolean {
    return this.#keep(this.#matcher, this.#matcher.find());
  }

  findFrom(start: number): boolean {
    if (start < 0 || start > this.text.length) raise('java.lang.IndexOutOfBoundsException', 'Illegal start index');
    this.reset();
    let found = this.#matcher.find();
    while (found && this.#matcher.start < start) found = this.#matcher.find();
    return this.#keep(this.#matcher, found);
  }

  matches(): boolean {
    const matcher = matcherOf(this.pattern, this.text);
    return this.#keep(matcher, matcher.matches());
  }

  lookingAt(): boolean {
    const matcher = matcherOf(this.pattern, this.text);
    return this.#keep(matcher, matcher.find() && matcher.start === 0);
  }

  #keep(matcher: Matcher, isMatch: boolean): boolean {
    this.#groups = isMatch ? [...matcher.groups] : null;
    return isMatch;
  }

  bound(group: number, side: 0 | 1): number {
    const groups = this.#groups ?? noMatch('No match available');
    if (group < 0 || group > this.pattern.groupCount) raise('java.lang.IndexOutOfBoundsException', `No group ${group}`);
    return groups[group * 2 + side];
  }

  group(group: number): string | null {
    if (this.#groups === null) noMatch();
    const start = this.bound(group, 0);
    return start < 0 ? null : this.text.slice(start, this.bound(group, 1));
  }

  named(name: string): string | null {
    const group = this.pattern.groupNames.get(name);
    if (this.#groups === null) noMatch();
    return group === undefined ? illegalArgument(`No group with name <${name}>`) : this.group(group);
  }

  replace(by: string, isAll: boolean): string {
    const matcher = matcherOf(this.pattern, this.text);
    const replacement = new Replacement(by, this.pattern);
    let out = '';
    let from = 0;
    while (matcher.find()) {
      out += this.text.slice(from, matcher.start) + replacement.apply(matcher);
      from = matcher.end;
      spendText(out.length);
      if (!isAll) break;
    }
    return out + this.text.slice(from);
  }

  toString(): string {
    const last = this.#groups === null ? '' : this.group(0);
    return `java.util.regex.Matcher[pattern=${this.pattern.source} region=0,${this.text.length} lastmatch=${last}]`;
  }
}

/** Pattern.split. @param limit  most parts; 0: all, without empty ones at the end; negative: all */
function split(pattern: JavaPattern, text: string, limit: number): string[] {
  const matcher = matcherOf(pattern, text);
  const parts: string[] = [];
  let from = 0;
  while ((limit <= 0 || parts.length < limit - 1) && matcher.find()) {
    // An empty match at the start does not split.
    if (matcher.end === 0) continue;
    parts.push(text.slice(from, matcher.start));
    from = matcher.end;
  }
  if (from === 0 && parts.length === 0) return [text];
  parts.push(text.slice(from));
  if (limit === 0) while (parts.at(-1) === '') parts.pop();
  return parts;
}

defineClass('java.util.regex.Pattern', ['java.lang.Object'], {
  of: JavaPattern,
  members: {
    'static String quote(String)': (text: string) =>
      text.includes('\\E') ? `\\Q${text.replaceAll('\\E', '\\E\\\\E\\Q')}\\E` : `\\Q${text}\\E`,
    'Predicate asPredicate()': (self: JavaPattern) => (text: Value) => matcherOf(self, textOf(text)).find(),
    'int flags()': (self: JavaPattern) => self.flags,
    'Matcher matcher(CharSequence)': (self: JavaPattern, text: Value) =>
      text === null
        ? nullPointer('Cannot invoke "java.lang.CharSequence.length()" because "this.text" is null')
        : new MatcherState(self, textOf(text)),
    'String pattern()': (self: JavaPattern) => self.source,
    'String toString()': (self: JavaPattern) => self.source,
    'String[] split(CharSequence)': (self: JavaPattern, text: Value) => textArray(split(self, textOf(text), 0)),
    'String[] split(CharSequence,int)': (self: JavaPattern, text: Value, limit: number) => textArray(split(self, textOf(text), limit)),
    'Stream splitAsStream(CharSequence)': (self: JavaPattern, text: Value) => streamOf(split(self, textOf(text), 0)),
  },
});

defineClass('java.util.regex.Matcher', ['java.lang.Object'], {
  of: MatcherState,
  members: {
    'static String quoteReplacement(String)': (text: string) => text.replace(/[\\$]/g, '\\$&'),
    'int end()': (self: MatcherState) => self.bound(0, 1),
    'int end(int)': (self: MatcherState, group: number) => self.bound(group, 1),
    'boolean find()': (self: MatcherState) => self.find(),
    'boolean find(int)': (self: MatcherState, start: number) => self.findFrom(start),
    'String group()': (self: MatcherState) => self.group(0),
    'String group(int)': (self: MatcherState, group: number) => self.group(group),
    'String namedGroup(String)': (self: MatcherState, name: string) => self.named(name),
    'int groupCount()': (self: MatcherState) => self.pattern.groupCount,
    'boolean lookingAt()': (self: MatcherState) => self.lookingAt(),
    'boolean matches()': (self: MatcherState) => self.matches(),
    'Pattern pattern()': (self: MatcherState) => self.pattern,
    'String replaceAll(String)': (self: MatcherState, by: string) => self.replace(by, true),
    'String replaceFirst(String)': (self: MatcherState, by: string) => self.replace(by, false),
    'Matcher reset()': (self: MatcherState) => self.reset(),
    'int start()': (self: MatcherState) => self.bound(0, 0),
    'int start(int)': (self: MatcherState, group: number) => self.bound(group, 0),
    'String toString()': String,
  },
});
