// User-defined names of indices, aliases and templates, with Elasticsearch's rules and messages.
import { matchesPattern } from '../common/text/wildcard.ts';
import { ApiError } from '../errors/api-error.ts';
import { invalidIndexNameError } from '../errors/catalog.ts';

const FORBIDDEN = ['\\', '/', '*', '?', '"', '<', '>', '|', ' ', ','];
/** What index names and patterns must not contain, in the words of errors. */
export const FORBIDDEN_TEXT = 'must not contain the following characters [ , ", *, \\, <, |, ,, >, /, ?]';
/** Control characters, line separators, and code points that are not characters: they break tables and logs, and look alike. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029\ufffe\uffff]/u;
const MAX_BYTES = 255;

/** Why this cannot be the name of an index or alias, or null. */
function problemOf(name: string): string | null {
  if (name === '') return 'must not be empty';
  if (name === '.' || name === '..') return "must not be '.' or '..'";
  if (FORBIDDEN.some((character) => name.includes(character))) return FORBIDDEN_TEXT;
  if (UNPRINTABLE.test(name)) return 'must not contain control characters';
  if (name.includes('#')) return "must not contain '#'";
  if (name.includes(':')) return "must not contain ':'";
  if (/^[_+-]/.test(name)) return "must not start with '_', '-', or '+'";
  const bytes = Buffer.byteLength(name);
  return bytes > MAX_BYTES ? `index name is too long, (${bytes} > ${MAX_BYTES})` : null;
}

/** @throws ApiError invalid_index_name_exception */
export function checkIndexName(name: string): void {
  const problem = problemOf(name);
  if (problem !== null) throw invalidIndexNameError(name, problem);
  if (name !== name.toLowerCase()) throw invalidIndexNameError(name, 'must be lowercase');
}

/** @throws ApiError invalid_alias_name_exception */
export function checkAliasName(alias: string, isIndex: (name: string) => boolean): void {
  const problem = problemOf(alias);
  if (problem !== null) throw new ApiError('invalid_alias_name_exception', 400, `Invalid alias name [${alias}]: ${problem}`);
  if (isIndex(alias)) {
    throw new ApiError(
      'invalid_alias_name_exception',
      400,
      `Invalid alias name [${alias}]: an index or data stream exists with the same name as the alias`,
    );
  }
}

/** Problems of the name of a composable template, with Elasticsearch's messages. */
export function templateNameProblems(name: string): string[] {
  const problems: string[] = [];
  if (UNPRINTABLE.test(name)) problems.push('name must not contain control characters');
  if (name.includes(' ')) problems.push('name must not contain a space');
  if (name.includes(',')) problems.push("name must not contain a ','");
  if (name.includes('#')) problems.push("name must not contain a '#'");
  if (name.includes('*')) problems.push("name must not contain a '*'");
  if (name.startsWith('_')) problems.push("name must not start with '_'");
  if (name !== name.toLowerCase()) problems.push('name must be lower cased');
  return problems;
}

/** True if two patterns may match the same name: their literal prefixes and suffixes are compatible. */
export function patternsOverlap(a: string, b: string): boolean {
  if (!a.includes('*')) return matchesPattern(b, a);
  if (!b.includes('*')) return matchesPattern(a, b);
  const [startA, startB] = [a.slice(0, a.indexOf('*')), b.slice(0, b.indexOf('*'))];
  const [endA, endB] = [a.slice(a.lastIndexOf('*') + 1), b.slice(b.lastIndexOf('*') + 1)];
  return (startA.startsWith(startB) || startB.startsWith(startA)) && (endA.endsWith(endB) || endB.endsWith(endA));
}
