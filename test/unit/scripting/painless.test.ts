import { expect, test } from 'vitest';
import type { ApiError } from '../../../src/errors/api-error.ts';
import { compileScript } from '../../../src/scripting/painless.ts';
import { ScriptBudget } from '../../../src/scripting/script-budget.ts';

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

test('unknown names and unsupported statements are refused with their place', () => {
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
  expect(refusal('try { 1 }').causedBy?.reason).toBe('[try] is not supported in scripts.');
  expect(refusal('while (true) {}').causedBy?.reason).toBe('the script takes too many steps');
  expect(refusal('1 +').causedBy?.reason).toContain('unexpected end of script');
  expect(refusal("token.term.constructor('x')").type).toBe('script_exception');
  expect(refusal(`${'('.repeat(5000)}1${')'.repeat(5000)}`).causedBy?.reason).toContain('nest deeper');
});

test('steps are bounded', () => {
  const script = compileScript(Array.from({ length: 200 }, () => '1').join(' + '), {});
  expect(() => script.run({}, new ScriptBudget(50))).toThrow('runtime error');
});

test('loops, jumps, steps, lists, maps, functions and lambdas', () => {
  expect(run('int s = 0; for (int i = 0; i < 10; i++) { if (i == 3) continue; if (i == 6) break; s += i } return s')).toBe(12);
  expect(run('int n = 5; long f = 1; while (n > 1) { f *= n--; } return f')).toBe(120n);
  expect(run('int n = 0; do { n++ } while (n < 4); return n')).toBe(4);
  expect(run("Map m = ['a': 1, 'b': 2]; int s = 0; for (def e : m.entrySet()) { s += e.value } m.c = s; return m.c + m.size()")).toBe(6);
  expect(run('int twice(int x) { return 2 * x } twice(twice(3))')).toBe(12);
  expect(run('List l = new ArrayList(); for (x in [3, 1, 2]) { l.add(x) } l.sort((a, b) -> b - a); return l.get(0) * 10 + l[2]')).toBe(31);
  expect(run('def l = [1, 2, 3, 4]; l.removeIf(x -> x % 2 == 0); return l.size()')).toBe(2);
  expect(run('Map<String, Integer> m = new HashMap<>(); m.put("x", 4); return m.getOrDefault("x", 0) + m.getOrDefault("y", 1)')).toBe(5);
});

test('functions that call each other without end are stopped', () => {
  expect(() => run('int f(int x) { return f(x) } f(1)')).toThrow('runtime error');
});
