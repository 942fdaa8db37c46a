import { expect, test } from 'vitest';
import type { ApiError } from '../../../src/errors/api-error.ts';
import { compileScript } from '../../../src/scripting/painless.ts';

const TOKEN = { token: { kind: 'object', members: { term: true, position: true, type: true } } } as const;
const run = (source: string, fields: Record<string, unknown> = {}) => compileScript(source, TOKEN).run({ token: { fields } });

test('expressions: precedence, integer division, strings, chars, null', () => {
  expect(run('1 + 2 * 3 - 7 / 2')).toBe(4);
  expect(run('1.0 / 4')).toBe(0.25);
  expect(run('(double) 6 / 4 + Math.max(1, 2)')).toBe(3.5);
  expect(run('2147483647 + 1')).toBe(-2147483648);
  expect(run('5L * 3')).toBe(15n);
  expect(run("'a' + 1 + 'b'")).toBe('a1b');
  expect(run("(char)'t' == token.term.charAt(0)", { term: 'tea' })).toBe(true);
  expect(run('null ?: 3')).toBe(3);
  expect(run("token.term?.length() > 2 ? 'long' : 'short'", { term: 'tea' })).toBe('long');
  expect(run('!(1 < 2) || 3 >= 3 && true')).toBe(true);
});

test('statements: variables, if, return', () => {
  expect(run('int n = token.position; if (n % 2 == 0) { return true; } else { n += 1; } return n > 3;', { position: 3 })).toBe(true);
});

test('getters and fields mean the same', () => {
  expect(run("token.getType() == token.type && token.type == 'x'", { type: 'x' })).toBe(true);
});

test('what is not known is refused with its place', () => {
  const refusal = (source: string): ApiError => {
    try {
      run(source);
    } catch (error) {
      return error as ApiError;
    }
    throw new Error('accepted');
  };
  expect(refusal('token.colour == 1').causedBy?.reason).toBe('field [colour] not found');
  expect(refusal('1 + nope').details.position).toMatchObject({ offset: 4 });
  expect(refusal('while (true) {}').causedBy?.reason).toBe('[while] is not known in scripts here.');
  expect(refusal('1 +').causedBy?.reason).toContain('unexpected end of script');
  expect(refusal("token.term.constructor('x')").type).toBe('script_exception');
  expect(refusal(`${'('.repeat(5000)}1${')'.repeat(5000)}`).causedBy?.reason).toContain('nest deeper');
});

test('steps are bounded', () => {
  const script = compileScript(Array.from({ length: 200 }, () => '1').join(' + '), {});
  expect(() => script.run({}, 50)).toThrow('runtime error');
});
