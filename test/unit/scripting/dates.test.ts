/** Date, TimeZone and SimpleDateFormat in scripts. Results and errors are those of Elasticsearch 7.10.2. */
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

const format = (pattern: string): string => `return new SimpleDateFormat("${pattern}").format(new Date(1234567890123L))`;
const parse = (pattern: string, text: string): string => `return new SimpleDateFormat("${pattern}").parse("${text}").getTime()`;

test.each([
  [
    'return new Date(0L).toString() + new Date(5L).equals(new Date(5L)) + new Date(5L).compareTo(new Date(7L))',
    'Thu Jan 01 00:00:00 UTC 1970true-1',
  ],
  [format('yyyy-MM-dd HH:mm:ss.SSS'), '2009-02-13 23:31:30.123'],
  [
    format("yyyy'T'EEE EEEE MMM MMMM a hh KK kk D u F XX XXX X Z yy G S SSSSS ''"),
    "2009TFri Friday Feb February PM 11 11 23 44 5 2 Z Z Z +0000 09 AD 123 00123 '",
  ],
  [format('o'), "Illegal pattern character 'o'"],
  [format("'abc"), 'Unterminated quote'],
  [parse('yyyy-MM-dd', '2020-1-5'), '1578182400000'],
  [parse('yyyy-MM-dd', '2020-13-45 rest'), '1613260800000'],
  [parse('yyyyMMdd', '20200105'), '1578182400000'],
  [parse('dd/MMM/yyyy:HH:mm:ss Z', '10/Oct/2000:13:55:36 -0700'), '971211336000'],
  [parse('dd MMMM yyyy hh:mm a', '3 february 2011 12:05 PM'), '1296734700000'],
  [parse('HH:mm', '25:70'), '94200000'],
  [parse('yyyy', 'x'), 'Unparseable date: "x"'],
  [
    "def f = new SimpleDateFormat('yyyy-MM-dd HH:mm X'); f.setTimeZone(TimeZone.getTimeZone('Europe/Berlin')); return f.format(new Date(1600000000000L))",
    '2020-09-13 14:26 +02',
  ],
  ["return TimeZone.getTimeZone('nowhere').getID() + TimeZone.getTimeZone('Europe/Paris').getOffset(0L)", 'GMT3600000'],
])('%s', (source, expected) => {
  expect(run(source)).toBe(expected);
});

test('expressions that would differ from Java are refused', () => {
  expect(run(parse('yyyy', '1500'))).toContain('dates before 1582-10-15 are not supported');
  expect(run(format('YYYY-ww'))).toContain("pattern letter 'Y' is not supported");
});
