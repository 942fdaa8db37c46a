// N-grams of terms: every gram keeps the offsets of its token and stands at its position.

import { illegalArgument } from '../../errors/catalog.ts';
import type { ComponentEntry, FilterFactory, TokenFilter } from '../component.ts';
import type { Token } from '../token-stream.ts';
import { checkGrams, checkNgramDiff } from '../tokenizers/ngram.ts';
import { listFilter } from './lists.ts';
import { filterEntry } from './simple.ts';

type Grams = (points: readonly string[]) => string[];

/** Terms without a gram leave a hole; too short or too long ones may stay as they are. */
function gramFilter(grams: Grams, min: number, max: number, preserveOriginal: boolean): TokenFilter {
  return {
    kind: 'host',
    apply(stream) {
      const tokens: Token[] = [];
      let carry = 0;
      for (const token of stream.tokens) {
        carry += token.posInc;
        const points = [...token.term];
        const terms = points.length < min ? [] : grams(points);
        if (preserveOriginal && (points.length < min || points.length > max)) terms.push(token.term);
        for (const term of terms) {
          tokens.push({ ...token, term, posInc: carry });
          carry = 0;
        }
      }
      return { ...stream, tokens, endPosInc: stream.endPosInc + carry };
    },
  };
}

function allGrams(min: number, max: number): Grams {
  return (points) => {
    const out: string[] = [];
    for (let at = 0; at < points.length; at++) {
      for (let size = min; size <= max && at + size <= points.length; size++) out.push(points.slice(at, at + size).join(''));
    }
    return out;
  };
}

function edgeGrams(min: number, max: number): Grams {
  return (points) => {
    const out: string[] = [];
    for (let size = min; size <= max && size <= points.length; size++) out.push(points.slice(0, size).join(''));
    return out;
  };
}

/** By code points; lone surrogates that meet in the other order become a pair. */
function reversed(text: string): string {
  return [...text].reverse().join('');
}

const REVERSE = listFilter((tokens) => tokens.map((token) => ({ ...token, term: reversed(token.term) })));

/** Grams from the back: of the reversed term, each reversed again. */
function backGrams(forward: TokenFilter): TokenFilter {
  return { kind: 'host', apply: (stream, env) => env.run([REVERSE, forward, REVERSE], stream) };
}

const PARAMS = ['min_gram: int = 1', 'max_gram: int = 2', 'preserve_original: bool = false'];

export const NGRAM_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry(
    'ngram',
    PARAMS,
    (context) => {
      const { settings } = context;
      const min = settings.int('min_gram', 1);
      const max = settings.int('max_gram', 2);
      checkNgramDiff(context, min, max);
      const preserve = settings.bool('preserve_original', false);
      return () => {
        checkGrams(min, max);
        return gramFilter(allGrams(min, max), min, max, preserve);
      };
    },
    { inSynonymRules: 'refused' },
  ),
  filterEntry(
    'edge_ngram',
    [...PARAMS, 'side: string = front'],
    ({ settings, isBuiltIn }) => {
      const min = settings.int('min_gram', 1);
      const max = isBuiltIn ? 1 : settings.int('max_gram', 2);
      const side = settings.get('side', 'front');
      if (side !== 'front' && side !== 'back') throw illegalArgument(`invalid side: ${side}`);
      const preserve = settings.bool('preserve_original', false);
      return () => {
        checkGrams(min, max);
        const forward = gramFilter(edgeGrams(min, max), min, max, preserve);
        return side === 'back' ? backGrams(forward) : forward;
      };
    },
    { inSynonymRules: 'refused' },
  ),
];
