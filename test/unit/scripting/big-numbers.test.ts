// java.math in scripts: the results are those of Elasticsearch 7.10.2 on JDK 17.
import { expect, test } from 'vitest';
import type { ApiError } from '../../../src/errors/api-error.ts';
import { CONTEXTS } from '../../../src/scripting/contexts.ts';
import { textOf } from '../../../src/scripting/java/objects.ts';
import { compileScript } from '../../../src/scripting/painless.ts';

const run = (source: string): string => textOf(compileScript(source, CONTEXTS.painless_test).run({ params: new Map() }));

test.each([
  ["new BigDecimal('1.10').add(new BigDecimal('2.205'))", '3.305'],
  ["new BigDecimal('10').divide(new BigDecimal('4'))", '2.5'],
  ["new BigDecimal('10').divide(new BigDecimal('3'), MathContext.DECIMAL32)", '3.333333'],
  ["new BigDecimal('-10.00').divide(new BigDecimal('3'), new MathContext(5, RoundingMode.FLOOR))", '-3.3334'],
  ["new BigDecimal('100').divide(new BigDecimal('4'), new MathContext(3))", '25'],
  ['BigDecimal.valueOf(2.345).setScale(2, RoundingMode.HALF_UP)', '2.35'],
  ['BigDecimal.valueOf(2.345).setScale(2, RoundingMode.HALF_EVEN).doubleValue()', '2.34'],
  ['BigDecimal.valueOf(-2.5).setScale(0, RoundingMode.HALF_DOWN)', '-2'],
  ["new BigDecimal('1E+10') + ' ' + new BigDecimal('1E+10').toPlainString()", '1E+10 10000000000'],
  ["new BigDecimal('0.0000001') + ' ' + new BigDecimal('0.000001')", '1E-7 0.000001'],
  ["new BigDecimal('100').stripTrailingZeros()", '1E+2'],
  ["new BigDecimal('7.5').divideToIntegralValue(new BigDecimal('0.02'))", '375'],
  ["new BigDecimal('999.9').round(new MathContext(2))", '1.0E+3'],
  ["new BigDecimal('2.5').hashCode()", '776'],
  ["new BigDecimal('2.50').equals(new BigDecimal('2.5'))", 'false'],
  ["new BigDecimal('2.50').compareTo(new BigDecimal('2.5'))", '0'],
  ["new BigInteger('-17').mod(new BigInteger('5')) + ' ' + new BigInteger('-17').remainder(new BigInteger('5'))", '3 -2'],
  ["new BigInteger('ff', 16).toString(2)", '11111111'],
  ["new BigInteger('65').modPow(new BigInteger('17'), new BigInteger('3233'))", '2790'],
  ["new BigInteger('17').modInverse(new BigInteger('3120'))", '2753'],
  ["new BigInteger('-256').toByteArray().length", '2'],
  ["new BigInteger('48').gcd(new BigInteger('-18'))", '6'],
])('%s', (source, result) => {
  expect(run(source)).toBe(result);
});

test.each([
  ["new BigDecimal('10').divide(new BigDecimal('3'))", 'Non-terminating decimal expansion; no exact representable decimal result.'],
  ['BigDecimal.valueOf(2.345).setScale(2)', 'Rounding necessary'],
  ['BigDecimal.ZERO.divide(BigDecimal.ZERO)', 'Division undefined'],
  ["new BigInteger('1').divide(BigInteger.ZERO)", 'BigInteger divide by zero'],
  ["new BigInteger('1x')", 'For input string: "1x"'],
  ["new BigInteger('7').pow(1000000)", 'numbers may have at most 65536 bits'],
  ["new BigDecimal('1').setScale(100000000)", 'numbers may have at most 65536 bits'],
  ['BigInteger x = BigInteger.TEN; for (int i = 0; i < 30; i++) { x = x.multiply(x); } return x', 'numbers may have at most 65536 bits'],
  ["new BigDecimal('1e999999999').toPlainString()", 'a string may have at most 1048576 characters'],
])('%s fails', (source, reason) => {
  const failure = (): string | null => {
    try {
      return run(source);
    } catch (error) {
      return (error as ApiError).causedBy?.reason ?? null;
    }
  };
  expect(failure()).toBe(reason);
});
