/** Duration, Period, unsigned numbers and code points in scripts. Results and errors are those of Elasticsearch 7.10.2. */
import { expect, test } from 'vitest';
import type { ApiError } from '../../../src/errors/api-error.ts';
import { CONTEXTS } from '../../../src/scripting/contexts.ts';
import '../../../src/scripting/doc-script.ts';
import { textOf } from '../../../src/scripting/java/objects.ts';
import { compileScript } from '../../../src/scripting/painless.ts';

/** The text of the result, or the reason of the error. */
function run(source: string): string {
  try {
    return textOf(compileScript(`return ${source}`, CONTEXTS.painless_test).run({ params: new Map() }));
  } catch (error) {
    return (error as ApiError).causedBy?.reason ?? String(error);
  }
}

test.each([
  ["Duration.ofSeconds(5, -3).toString() + ' ' + Duration.ofDays(3).plusMinutes(4).minusNanos(1)", 'PT4.999999997S PT72H3M59.999999999S'],
  ['Duration.ofHours(3).getUnits()', '[Seconds, Nanos]'],
  ['Duration.ofHours(3).get(ChronoUnit.DAYS)', 'Unsupported unit: Days'],
  ['Duration.from(Period.ZERO)', 'Unit must not have an estimated duration'],
  ["Period.of(1, 14, 3).normalized().toString() + Period.parse('P1Y2M3W4D') + Period.parse('-P1Y')", 'P2Y2M3DP1Y2M25DP-1Y'],
  ["Period.parse('P')", 'Text cannot be parsed to a Period'],
  ["Period.of(1, 2, 3).hashCode() + ' ' + Duration.ofSeconds(-5, 7).hashCode()", '197121 361'],
  ['Period.of(1, 2, 3).plus(Duration.ofDays(1))', 'Unit must be Years, Months or Days, but was Seconds'],
  ['Period.of(0, 1, 3).addTo(LocalDate.of(2020, 1, 31))', '2020-03-03'],
])('%s', (source, expected) => {
  expect(run(source)).toBe(expected);
});

test.each([
  ["Long.divideUnsigned(-1L, 3L) + ' ' + Long.remainderUnsigned(-1L, 7L)", '6148914691236517205 1'],
  ['Long.divideUnsigned(-1L, 0L)', '/ by zero'],
  ["Long.parseUnsignedLong('18446744073709551615')", '-1'],
  ["Long.parseUnsignedLong('-1')", 'Illegal leading minus sign on unsigned string -1.'],
  ["Integer.parseUnsignedInt('4294967296')", 'String value 4294967296 exceeds range of unsigned int.'],
  ["Long.reverse(5L) + ' ' + Long.reverseBytes(5L) + ' ' + Integer.reverseBytes(1)", '-6917529027641081856 360287970189639680 16777216'],
  ["Short.decode('0x7f') + ' ' + Byte.valueOf('11', 2)", '127 3'],
  ["(int)Character.highSurrogate(0x1F600) + ' ' + (int)Character.lowSurrogate(0x1F600)", '55357 56832'],
  ["Character.codePointAt('abc', 5)", 'String index out of range: 5'],
  ["Character.codePointBefore('abc', 0)", 'String index out of range: -1'],
  ['LongStream.rangeClosed(1L, 4L).sum()', '10'],
])('%s', (source, expected) => {
  expect(run(source)).toBe(expected);
});
