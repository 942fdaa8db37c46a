// Which terms count as similar to a word: options that the term suggester and the generators of the phrase suggester share.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { readFloat, readInt, readText } from '../../query/read-json.ts';
import { STRING_DISTANCES, type StringDistance } from '../matchers/string-distance.ts';

export interface Spelling {
  readonly mode: 'missing' | 'popular' | 'always';
  readonly sort: 'score' | 'frequency';
  readonly maxEdits: number;
  readonly prefixLength: number;
  readonly minWordLength: number;
  /** Below 1: a fraction of the documents; otherwise a number of documents. */
  readonly minDocFreq: number;
  readonly maxTermFreq: number;
  readonly accuracy: number;
  readonly distance: StringDistance;
}

export type SpellingDraft = { -readonly [K in keyof Spelling]: Spelling[K] };

export function spellingDefaults(): SpellingDraft {
  return {
    mode: 'missing',
    sort: 'score',
    maxEdits: 2,
    prefixLength: 1,
    minWordLength: 4,
    minDocFreq: 0,
    maxTermFreq: Math.fround(0.01),
    accuracy: 0.5,
    distance: STRING_DISTANCES['internal'],
  };
}

export function atLeast(key: string, value: unknown, least: number): number {
  const number = readInt(value, key);
  if (number < least) throw illegalArgumentError(`${key} must be ${least > 0 ? 'positive' : 'at least 0'}`);
  return number;
}

/** Reads an option. @returns false if `key` is not one */
export function parseSpelling(key: string, value: unknown, draft: SpellingDraft): boolean {
  switch (key) {
    case 'suggest_mode': {
      const mode = readText(value, key).toLowerCase();
      if (mode !== 'missing' && mode !== 'popular' && mode !== 'always')
        throw illegalArgumentError(`No enum constant SuggestMode.${mode.toUpperCase()}`);
      draft.mode = mode;
      return true;
    }
    case 'sort': {
      const sort = readText(value, key).toLowerCase();
      if (sort !== 'score' && sort !== 'frequency') throw illegalArgumentError(`No enum constant SortBy.${sort.toUpperCase()}`);
      draft.sort = sort;
      return true;
    }
    case 'max_edits':
      draft.maxEdits = readInt(value, key);
      if (draft.maxEdits < 1 || draft.maxEdits > 2) throw illegalArgumentError('maxEdits must be between 1 and 2');
      return true;
    case 'prefix_length':
    case 'prefix_len':
      draft.prefixLength = atLeast('prefixLength', value, 0);
      return true;
    case 'min_word_length':
    case 'min_word_len':
      draft.minWordLength = atLeast('minWordLength', value, 1);
      return true;
    case 'min_doc_freq':
      draft.minDocFreq = readFloat(value, key);
      if (draft.minDocFreq < 0) throw illegalArgumentError('minDocFreq must be at least 0');
      return true;
    case 'max_term_freq':
      draft.maxTermFreq = readFloat(value, key);
      if (draft.maxTermFreq < 0) throw illegalArgumentError('maxTermFreq must be positive');
      return true;
    case 'max_inspections':
      atLeast('maxInspections', value, 0);
      return true;
    case 'accuracy':
      draft.accuracy = readFloat(value, key);
      return true;
    case 'string_distance': {
      const name = readText(value, key).toLowerCase();
      if (!Object.hasOwn(STRING_DISTANCES, name)) throw illegalArgumentError(`Illegal distance option ${name}`);
      draft.distance = STRING_DISTANCES[name];
      return true;
    }
    default:
      return false;
  }
}
