// Sets of properties equal those of JavaScript's engine for each code point.
import { expect, test } from 'vitest';
import { propertySet } from '../../../src/regex/properties.ts';

test.each([
  ['IsAlphabetic', 'Alphabetic'],
  ['IsLowercase', 'Lowercase'],
  ['IsWhite_Space', 'White_Space'],
  ['IsLatin', 'Script=Latin'],
  ['IsHan', 'Script=Han'],
  ['script=Common', 'Script=Common'],
  ['IsID_Start', 'ID_Start'],
  ['IsNoncharacter_Code_Point', 'Noncharacter_Code_Point'],
])('%s', (java, name) => {
  const set = propertySet(java, true);
  const expression = new RegExp(`^\\p{${name}}$`, 'u');
  const wrong: number[] = [];
  for (let cp = 0; cp <= 0x10ffff; cp++) if (expression.test(String.fromCodePoint(cp)) !== set?.has(cp)) wrong.push(cp);
  expect(wrong).toEqual([]);
});
