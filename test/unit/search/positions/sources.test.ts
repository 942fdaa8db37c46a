import { describe, expect, test } from 'vitest';
import type { IntervalSource, SpanSource } from '../../../../src/search/index-query/positional-query.ts';
import { termOfText } from '../../../../src/search/index-query/term.ts';
import { intervalsOf, minExtent, type Positions, spansOf } from '../../../../src/search/positions/sources.ts';

const TEXT = 'the quick brown fox jumps over the lazy dog the dog is lazy';

const positions: Positions = ({ key }) => TEXT.split(' ').flatMap((word, i) => (word === key ? [i] : []));
const word = (text: string) => ({ type: 'term', term: termOfText('f', text) }) as const;
const spans = (source: SpanSource) => spansOf(source, positions).map(({ start, end }) => [start, end]);
const intervals = (source: IntervalSource) => intervalsOf(source, positions).map(({ start, end }) => [start, end]);
const near = (slop: number, inOrder: boolean, ...words: string[]): SpanSource => ({
  type: 'near',
  sources: words.map(word),
  slop,
  inOrder,
});
const all = (mode: 'ordered' | 'unordered' | 'phrase' | 'unordered_no_overlap', ...words: string[]): IntervalSource => ({
  type: 'all',
  sources: words.map(word),
  mode,
});

describe('spans', () => {
  test.each<[string, SpanSource, number[][]]>([
    [
      'a term',
      word('lazy'),
      [
        [7, 8],
        [12, 13],
      ],
    ],
    ['near in order', near(1, true, 'quick', 'fox'), [[1, 4]]],
    ['near in order, too far', near(0, true, 'quick', 'fox'), []],
    ['near in the other order', near(5, true, 'fox', 'quick'), []],
    [
      'near in any order',
      near(5, false, 'dog', 'lazy'),
      [
        [7, 9],
        [8, 13],
        [10, 13],
      ],
    ],
    [
      'one match per first clause',
      near(20, true, 'the', 'dog'),
      [
        [0, 9],
        [6, 9],
        [9, 11],
      ],
    ],
    [
      'or',
      { type: 'or', sources: [word('fox'), word('the')] },
      [
        [0, 1],
        [3, 4],
        [6, 7],
        [9, 10],
      ],
    ],
    ['not', { type: 'not', include: word('dog'), exclude: near(0, true, 'lazy', 'dog'), pre: 0, post: 0 }, [[10, 11]]],
    ['not with room in front', { type: 'not', include: word('dog'), exclude: word('the'), pre: 1, post: 0 }, [[8, 9]]],
    [
      'first',
      { type: 'first', source: word('the'), end: 7 },
      [
        [0, 1],
        [6, 7],
      ],
    ],
    ['containing', { type: 'containing', big: near(5, true, 'the', 'dog'), little: word('lazy') }, [[6, 9]]],
    ['within', { type: 'within', big: near(5, true, 'the', 'dog'), little: word('lazy') }, [[7, 8]]],
  ])('%s', (_, source, expected) => expect(spans(source)).toEqual(expected));
});

describe('intervals', () => {
  test.each<[string, IntervalSource, number[][]]>([
    [
      'ordered, minimal',
      all('ordered', 'the', 'dog'),
      [
        [6, 8],
        [9, 10],
      ],
    ],
    [
      'unordered',
      all('unordered', 'dog', 'lazy'),
      [
        [7, 8],
        [10, 12],
      ],
    ],
    // Each position counts once.
    [
      'unordered, a word twice',
      all('unordered', 'the', 'the'),
      [
        [0, 6],
        [6, 9],
      ],
    ],
    // Positions between them that other sources match are not gaps.
    ['unordered, a word twice with few gaps', { type: 'maxGaps', source: all('unordered', 'the', 'the'), gaps: 2 }, [[6, 9]]],
    ['unordered, a word four times', all('unordered', 'the', 'the', 'the', 'the'), []],
    ['phrase', all('phrase', 'lazy', 'dog'), [[7, 8]]],
    [
      'no overlap',
      all('unordered_no_overlap', 'the', 'the'),
      [
        [0, 6],
        [6, 9],
      ],
    ],
    ['with few gaps', { type: 'maxGaps', source: all('ordered', 'quick', 'jumps'), gaps: 1 }, []],
    [
      'or is minimal',
      { type: 'or', sources: [all('ordered', 'the', 'lazy'), word('lazy')] },
      [
        [7, 7],
        [12, 12],
      ],
    ],
    ['before', { type: 'filter', source: word('lazy'), relation: 'before', by: word('is') }, [[7, 7]]],
    ['after', { type: 'filter', source: word('lazy'), relation: 'after', by: word('is') }, [[12, 12]]],
    ['contained by', { type: 'filter', source: word('lazy'), relation: 'contained_by', by: all('ordered', 'over', 'dog') }, [[7, 7]]],
    ['not containing', { type: 'filter', source: all('ordered', 'the', 'dog'), relation: 'not_containing', by: word('lazy') }, [[9, 10]]],
    ['not overlapping', { type: 'filter', source: word('dog'), relation: 'not_overlapping', by: all('phrase', 'lazy', 'dog') }, [[10, 10]]],
    [
      'a removed word in front',
      { type: 'all', sources: [word('over'), { type: 'extend', source: word('lazy'), before: 1 }], mode: 'phrase' },
      [[5, 7]],
    ],
  ])('%s', (_, source, expected) => expect(intervals(source)).toEqual(expected));

  test('the smallest extent includes extensions', () => {
    expect(minExtent({ type: 'all', sources: [word('a'), { type: 'extend', source: word('b'), before: 2 }], mode: 'ordered' })).toBe(4);
    expect(minExtent({ type: 'or', sources: [all('ordered', 'a', 'b'), word('c')] })).toBe(1);
  });

  test('count a repeated source once: in order only next to each other, in phrases never', () => {
    expect(minExtent(all('ordered', 'a', 'a', 'b', 'a'))).toBe(3);
    expect(minExtent(all('unordered', 'a', 'a', 'b', 'a'))).toBe(2);
    expect(minExtent(all('unordered_no_overlap', 'a', 'a'))).toBe(2);
    expect(minExtent(all('phrase', 'a', 'a'))).toBe(2);
  });
});
