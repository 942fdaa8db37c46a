// The tables of the Thai rules equal those generated from their expression.
import { expect, test } from 'vitest';
import { CLASS_COUNT, CLASSES, STATES } from '../../../src/analysis/generated/thai-rules.ts';
import { compileMachines } from '../../../src/regex/machine.ts';
import { thaiRules } from '../../../tools/thai-rules.ts';

test('generated tables are up to date', () => {
  const { classCount, ascii, ranges, tables } = compileMachines([thaiRules()]);
  expect(CLASS_COUNT).toBe(classCount);
  expect(STATES).toEqual([...tables[0]]);
  const starts = new Map<number, number>();
  let at = 0;
  for (const [, length, cls] of CLASSES.matchAll(/([0-9a-z]+)([A-Z])/g)) {
    starts.set(at, cls.charCodeAt(0) - 65);
    at += Number.parseInt(length, 36);
  }
  expect(at).toBe(0x110000);
  let last = -1;
  for (const [first, cls] of [...[...ascii].map((of, cp): [number, number] => [cp, of]), ...ranges]) {
    if (cls !== last) expect(starts.get(first)).toBe(cls);
    else expect(starts.has(first)).toBe(false);
    last = cls;
  }
});
