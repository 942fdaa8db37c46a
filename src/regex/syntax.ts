import type { CodePointSet } from './code-point-set.ts';

/** Java's flags as bits of java.util.regex.Pattern. */
export const FLAG = {
  UNIX_LINES: 1,
  CASE_INSENSITIVE: 2,
  COMMENTS: 4,
  MULTILINE: 8,
  LITERAL: 16,
  DOTALL: 32,
  UNICODE_CASE: 64,
  CANON_EQ: 128,
  UNICODE_CHARACTER_CLASS: 256,
} as const;

export type AssertionKind =
  | 'begin'
  | 'end'
  | 'end-before-terminator'
  | 'end-before-newline'
  | 'line-begin'
  | 'line-end'
  | 'unix-line-begin'
  | 'unix-line-end'
  | 'word'
  | 'not-word'
  | 'last-match';

/** A parsed expression. */
export type Node =
  | { kind: 'empty' }
  | { kind: 'set'; set: CodePointSet }
  | { kind: 'seq' | 'alt'; parts: Node[] }
  | { kind: 'repeat'; part: Node; min: number; max: number; mode: 'greedy' | 'lazy' | 'possessive' }
  | { kind: 'group'; index: number; part: Node }
  | { kind: 'assert'; what: AssertionKind }
  | { kind: 'look'; part: Node; behind: boolean; negative: boolean }
  | { kind: 'atomic'; part: Node };
