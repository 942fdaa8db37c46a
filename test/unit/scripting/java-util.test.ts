/** Collections, numbers and strings in scripts. Results and errors are those of Elasticsearch 7.10.2. */
import { expect, test } from 'vitest';
import type { ApiError } from '../../../src/errors/api-error.ts';
import { CONTEXTS } from '../../../src/scripting/contexts.ts';
import '../../../src/scripting/doc-script.ts';
import { textOf } from '../../../src/scripting/java/objects.ts';
import { compileScript } from '../../../src/scripting/painless.ts';

/** The text of the result, or the reason of the error. */
function run(source: string): string {
  try {
    return textOf(compileScript(source, CONTEXTS.painless_test).run({ params: new Map() }));
  } catch (error) {
    return (error as ApiError).causedBy?.reason ?? String(error);
  }
}

test.each([
  [
    "return Math.pow(10, -20) + ' ' + Math.pow(10, 39) + ' ' + Math.pow(2.5, 39) + ' ' + Math.pow(1.1, -7) + ' ' + Math.pow(-3, 21) + ' ' + Math.pow(0.1, 3) + ' ' + Math.pow(10, 308) + ' ' + Math.pow(0, -1)",
    '1.0E-20 1.0E39 3.3087224502121105E15 0.5131581182307065 -1.0460353203E10 0.0010000000000000002 1.0E308 Infinity',
  ],
  ["return Character.isUpperCase(-1) + '' + Character.isIdeographic(0x110000)", 'falsefalse'],
  ["return Integer.parseInt('12', 37)", 'radix 37 greater than Character.MAX_RADIX'],
  ["return Long.parseLong('12', 1)", 'radix 1 less than Character.MIN_RADIX'],
  ['return Integer.remainderUnsigned(5, 0)', '/ by zero'],
  ["return ['a': [1, 2]].getByPath('a.5')", 'Could not find value at path [a.5]'],
  ["return ['a': [1, 2]].getByPath('b.c', 'd')", 'Container does not have [b], for non-terminal index [0] in path [b.c]'],
  ["return ['a': [1, 2]].getByPath('a.x', 'd')", 'Could not parse [x] as a int index into list at path [a.x] and index [1]'],
  ["return ['a': 1].getByPath('a.b')", 'Non-container [java.lang.Integer] at [b], index [1] in path [a.b]'],
  [
    "return ['a': [1, 2]].getByPath('a.5', 'd') + [[7]].getByPath('0.0')",
    'cannot apply the addition operator [+] to the types [java.lang.Object] and [java.lang.Object]',
  ],
  ["return [:].getByPath('')", 'Missing path'],
  ['List l = [1]; l.addAll(2, [5]); return l', 'Index: 2, Size: 1'],
  ['List l = new LinkedList([1]); return l.set(4, 2)', 'Index: 4, Size: 1'],
  ['Collections.swap([1, 2], 0, 2)', 'Index 2 out of bounds for length 2'],
  ["Matcher m = /a/.matcher('b'); return m.start()", 'No match available'],
  ["DoubleSummaryStatistics s = new DoubleSummaryStatistics(); s.accept(Double.NaN); return s.getMax() + ' ' + s.getMin()", 'NaN NaN'],
  [
    'IntSummaryStatistics s = new IntSummaryStatistics(); s.accept(3); IntSummaryStatistics t = new IntSummaryStatistics(); t.accept(9); s.combine(t); return s',
    'IntSummaryStatistics{count=2, sum=12, min=3, average=6.000000, max=9}',
  ],
  [
    "ListIterator i = [1, 2, 3].listIterator(1); i.next(); i.set(9); i.add(8); return i.nextIndex() + '' + i.previousIndex() + i.hasPrevious()",
    '32true',
  ],
  [
    'List l = [1, 2, 3]; ListIterator i = l.listIterator(); while (i.hasNext()) { int x = i.next(); if (x == 2) { i.remove(); i.add(5); i.add(6); } } return l',
    '[1, 5, 6, 3]',
  ],
  [
    "TreeSet s = new TreeSet([1, 2, 3, 4]); return '' + s.headSet(2, true) + s.tailSet(2, false) + s.subSet(1, false, 3, true) + s.descendingSet()",
    'Cannot cast from [java.util.ArrayList] to [java.util.Comparator].',
  ],
  ['ZoneOffset.ofHours(19)', 'Zone offset hours not in valid range: value 19 is not in the range -18 to 18'],
  ['return ZoneOffset.ofHoursMinutesSeconds(1, 2, 3)', '+01:02:03'],
  [
    "def c = Comparator.comparing(x -> x.length()); def l = ['bb', 'a', 'cc']; l.sort(c.thenComparing(Comparator.reverseOrder())); return l",
    '[a, cc, bb]',
  ],
  ['def c = Comparator.naturalOrder(); def l = [3, 1, 2]; l.sort(c.reversed()); return l', '[3, 2, 1]'],
  [
    "String o = ''; def a = '12'.toCharArray(); for (def x : a) { o += x + ','; } def d = new double[] {1, 2.5}; for (def x : d) { o += x + ','; } return o",
    '1,2,1.0,2.5,',
  ],
  ["PriorityQueue q = new PriorityQueue(); q.addAll([3, 1, 2]); q.removeIf(x -> x == 2); return q.poll() + '' + q.size() + q", '11[3]'],
])('%s', (source, expected) => {
  expect(run(source)).toBe(expected);
});

test('iterators without a current item and null values of merges are refused', () => {
  expect(() => compileScript('ListIterator i = [1].listIterator(); i.remove()', CONTEXTS.painless_test).run({ params: new Map() })).toThrow(
    expect.objectContaining({ causedBy: expect.objectContaining({ type: 'illegal_state_exception' }) }),
  );
  expect(() => compileScript("['a': 1].merge('a', null, (a, b) -> a)", CONTEXTS.painless_test).run({ params: new Map() })).toThrow(
    expect.objectContaining({ causedBy: expect.objectContaining({ type: 'null_pointer_exception' }) }),
  );
});
