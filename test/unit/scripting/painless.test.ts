import { expect, test } from 'vitest';
import type { ApiError } from '../../../src/errors/api-error.ts';
import { ScriptBudget } from '../../../src/scripting/java/budget.ts';
import { Double } from '../../../src/scripting/java/values.ts';
import { type ScriptToken, TokenView } from '../../../src/scripting/library/documents/analysis-token.ts';
import { compileScript } from '../../../src/scripting/painless.ts';

const CONTEXT = { returns: 'def', variables: { token: 'org.elasticsearch.analysis.common.AnalysisPredicateScript.Token' } };
const TOKEN = {
  term: 'tea',
  position: 0,
  positionIncrement: 1,
  positionLength: 1,
  startOffset: 0,
  endOffset: 3,
  type: 'word',
  keyword: false,
};
const run = (source: string, fields: Partial<ScriptToken> = {}) =>
  compileScript(source, CONTEXT).run({ token: new TokenView({ ...TOKEN, ...fields }) });

test('expressions: precedence, integer division, strings, chars, null', () => {
  expect(run('1 + 2 * 3 - 7 / 2')).toBe(4);
  expect(run('1.0 / 4')).toEqual(new Double(0.25));
  expect(run('(double) 6 / 4 + Math.max(1, 2)')).toEqual(new Double(3.5));
  expect(run('2147483647 + 1')).toBe(-2147483648);
  expect(run('5L * 3')).toBe(15n);
  expect(run("'a' + 1 + 'b'")).toBe('a1b');
  expect(run("(char)'t' == token.term.charAt(0)", { term: 'tea' })).toBe(true);
  expect(run('def x = null; x ?: 3')).toBe(3);
  expect(run("token.term.length() > 2 ? 'long' : 'short'", { term: 'tea' })).toBe('long');
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
  expect(refusal('token.colour == 1').causedBy?.reason).toBe(
    'field [org.elasticsearch.analysis.common.AnalysisPredicateScript.Token, colour] not found',
  );
  expect(refusal('1 + nope').details.position).toMatchObject({ offset: 4 });
  expect(refusal('try { 1 }').causedBy?.reason).toBe("unexpected token ['<EOF>'] was expecting one of ['catch'].");
  expect(refusal('int i = 0; while (true) { i++; }').causedBy?.type).toBe('painless_error');
  expect(refusal('1 +').causedBy?.reason).toBe('unexpected end of script.');
  expect(refusal("token.term.constructor('x')").causedBy?.reason).toBe('member method [java.lang.CharSequence, constructor/1] not found');
  expect(refusal(`${'('.repeat(5000)}1${')'.repeat(5000)}`).causedBy?.reason).toContain('nest deeper');
});

test('steps are bounded', () => {
  const script = compileScript('int n = 0; for (int i = 0; i < 100; i++) { n += i; } return n', { returns: 'int', variables: {} });
  expect(() => script.run({}, new ScriptBudget(50))).toThrow('runtime error');
  expect(script.run({}, new ScriptBudget(5000))).toBe(4950);
});

test('loops, jumps, steps, lists, maps, functions and lambdas', () => {
  expect(run('int s = 0; for (int i = 0; i < 10; i++) { if (i == 3) { continue; } if (i == 6) { break; } s += i; } return s')).toBe(12);
  expect(run('int n = 5; long f = 1; while (n > 1) { f *= n--; } return f')).toBe(120n);
  expect(run('int n = 0; do { n++ } while (n < 4); return n')).toBe(4);
  expect(run("Map m = ['a': 1, 'b': 2]; int s = 0; for (def e : m.entrySet()) { s += e.value } m.c = s; return m.c + m.size()")).toBe(6);
  expect(run('int twice(int x) { return 2 * x } twice(twice(3))')).toBe(12);
  expect(run('List l = new ArrayList(); for (x in [3, 1, 2]) { l.add(x); } l.sort((a, b) -> b - a); return l.get(0) * 10 + l[2]')).toBe(31);
  expect(run('def l = [1, 2, 3, 4]; l.removeIf(x -> x % 2 == 0); return l.size()')).toBe(2);
});

test('functions that call each other without end are stopped', () => {
  expect(() => run('int f(int x) { return f(x) } f(1)')).toThrow('runtime error');
});

test('errors show their place: dots for a part of the source, the statement of a run', () => {
  const details = (source: string) => {
    try {
      run(source);
    } catch (error) {
      return (error as ApiError).details;
    }
    throw new Error('accepted');
  };
  expect(details('int x = 1; int y = 0; return x/y')).toMatchObject({
    script_stack: ['return x/y', '       ^---- HERE'],
    position: { offset: 29, start: 22, end: 32 },
  });
  expect(details('int first = 1; int second = 2; return first + missing')).toMatchObject({
    script_stack: ['... cond = 2; return first + missing', '                             ^---- HERE'],
    position: { offset: 46, start: 21, end: 53 },
  });
});

test('a matcher of null is a null pointer exception', () => {
  const error = thrownBy(() => run('/a/.matcher(null)'));
  expect(error.causedBy).toMatchObject({ type: 'null_pointer_exception', reason: expect.stringContaining('"this.text" is null') });
});

test.each(['<', '<=', '>', '>='])('def %s null is a null pointer exception, on either side', (op) => {
  for (const [left, right, is] of [
    ['null', 'x', 'left'],
    ['x', 'null', 'right'],
    ['(def) null', '(def) -1', 'left'],
  ]) {
    const error = thrownBy(() => run(`def x = 2; return ${left} ${op} ${right}`));
    expect(error.causedBy).toMatchObject({ type: 'null_pointer_exception', reason: expect.stringContaining(`"${is}" is null`) });
  }
});

function thrownBy(action: () => unknown): ApiError {
  try {
    action();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('nothing was thrown');
}
