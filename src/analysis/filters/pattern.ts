// Filters with regular expressions: pattern_replace, pattern_capture, and keyword_marker with a pattern.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { compilePattern } from '../../regex/java-flags.ts';
import type { JavaPattern } from '../../regex/java-pattern.ts';
import { Replacement } from '../../regex/replacement.ts';
import { StageId } from '../../wasm/generated/analysis.ts';
import type { ComponentEntry, FilterFactory } from '../component.ts';
import { lowerCodePoints, wordSet } from '../languages/word-lists.ts';
import { checkTokenCount } from '../tokens/token-stream.ts';
import { termFilter, termsFilter } from './host-terms.ts';
import { filterEntry, setStage } from './kernel-filters.ts';

function replaceMatches(term: string, pattern: JavaPattern, replacement: Replacement, all: boolean): string {
  const matcher = pattern.matcher(term);
  let out = '';
  let last = 0;
  while (matcher.find()) {
    out += term.slice(last, matcher.start) + replacement.apply(matcher);
    last = matcher.end;
    if (!all) break;
  }
  return out + term.slice(last);
}

/** Captured groups of one pattern in the order of matching, without empty ones and, if the original is preserved, without the whole term. */
function captured(pattern: JavaPattern, term: string, preserveOriginal: boolean): [number, number][] {
  const out: [number, number][] = [];
  const matcher = pattern.matcher(term);
  while (matcher.find()) {
    for (let group = 1; group <= pattern.groupCount; group++) {
      const start = matcher.groups[group * 2];
      const end = matcher.groups[group * 2 + 1];
      if (start !== end && !(preserveOriginal && start === 0 && end === term.length)) out.push([start, end]);
    }
    checkTokenCount(out.length);
  }
  return out;
}

/** The original term, if preserved, and the groups of all patterns, merged by their start. */
function captures(term: string, patterns: readonly JavaPattern[], preserveOriginal: boolean): string[] {
  const lists = patterns.map((pattern) => ({ found: captured(pattern, term, preserveOriginal), at: 0 }));
  const out = preserveOriginal ? [term] : [];
  for (;;) {
    let best: (typeof lists)[number] | null = null;
    for (const list of lists) {
      if (list.at < list.found.length && (!best || list.found[list.at][0] < best.found[best.at][0])) best = list;
    }
    if (!best) return out;
    out.push(term.slice(...best.found[best.at++]));
  }
}

export const PATTERN_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry(
    'pattern_replace',
    ['pattern: string', 'flags: string', 'replacement: string = ""', 'all: bool = true'],
    ({ name, settings }) => {
      const source = settings.get('pattern');
      if (source === undefined) throw illegalArgumentError(`pattern is missing for [${name}] token filter of type 'pattern_replace'`);
      const pattern = compilePattern(source, settings.get('flags'));
      const replacement = new Replacement(settings.get('replacement', ''), pattern);
      const all = settings.bool('all', true);
      return termFilter('replace', (term) => [replaceMatches(term, pattern, replacement, all)]);
    },
  ),
  filterEntry('pattern_capture', ['patterns: list', 'preserve_original: bool = true'], ({ name, settings }) => {
    const sources = settings.list('patterns') ?? (settings.has('patterns') ? [] : null);
    if (!sources) throw illegalArgumentError(`required setting 'patterns' is missing for token filter [${name}]`);
    const patterns = sources.map((source) => compilePattern(source));
    const preserve = settings.bool('preserve_original', true);
    return termsFilter((term) => captures(term, patterns, preserve));
  }),
  filterEntry(
    'keyword_marker',
    ['keywords: list', 'keywords_path: string', 'keywords_pattern: string', 'keywords_case: bool = false', 'ignore_case: bool = false'],
    (context) => {
      const { settings } = context;
      const ignoreCase = settings.bool('ignore_case', false);
      const source = settings.get('keywords_pattern');
      if (source !== undefined) {
        if (settings.has('keywords') || settings.has('keywords_path')) {
          throw illegalArgumentError('cannot specify both `keywords_pattern` and `keywords` or `keywords_path`');
        }
        const pattern = compilePattern(source);
        return termFilter('mark', (term) => (pattern.matches(term) ? [term] : []));
      }
      const keywords = wordSet(context, 'keywords');
      if (!keywords) {
        throw illegalArgumentError('keyword filter requires either `keywords`, `keywords_path`, or `keywords_pattern` to be configured');
      }
      // A list that ignores case is lower-cased; the stage's flag, which lower-cases tokens, is the parameter `ignore_case`.
      const words = keywords.ignoreCase ? keywords.words.map(lowerCodePoints) : keywords.words;
      return setStage(StageId.KEYWORD_MARKER, words, ignoreCase);
    },
  ),
];
