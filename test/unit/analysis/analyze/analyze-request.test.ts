// Forms of filters in a request to `_analyze`.
import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../../src/analysis/analysis-registry.ts';
import { analyzeText } from '../../../../src/analysis/analyze/analyze-api.ts';
import { ApiError } from '../../../../src/errors/api-error.ts';
import { AnalysisHost } from '../../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../../support/analysis-server.ts';

const registry = AnalysisRegistry.global({ host: new AnalysisHost(analyzerModule()), files: null });
const analyze = (filter: unknown) => analyzeText(JSON.stringify({ tokenizer: 'standard', filter, text: 'Ab' }), { index: null, registry });

test('accepts one definition without a list', () => {
  expect(analyze({ type: 'lowercase' })).toMatchObject({ tokens: [{ token: 'ab' }] });
  expect(() => analyze('lowercase')).toThrow("[1:34] [analyze_request] filter doesn't support values of type: VALUE_STRING");
});

test('refuses an item that is neither a name nor a definition, and reports its type', () => {
  try {
    analyze(['lowercase', 3]);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    const { status, message, causedBy } = error as ApiError;
    expect([status, message]).toEqual([400, '[1:47] [analyze_request] failed to parse field [filter]']);
    expect(causedBy).toMatchObject({
      type: 'x_content_parse_exception',
      message: '[1:47] Expected [VALUE_STRING] or [START_OBJECT], got VALUE_NUMBER',
    });
  }
});

const ask = (body: string, index: string | null = null) => analyzeText(body, { index, registry });
/** Reasons of an error and its causes, outermost first. */
function reasons(body: string, index: string | null = null): (string | null)[] {
  const found: (string | null)[] = [];
  try {
    ask(body, index);
  } catch (error) {
    for (let at: ApiError | null = error as ApiError; at; at = at.causedBy) found.push(at.reason);
  }
  return found;
}

test('columns count UTF-8 bytes from the start of the line', () => {
  expect(reasons('{"text":"é\\n😀","explain":1}')).toEqual([
    "[1:30] [analyze_request] explain doesn't support values of type: VALUE_NUMBER",
  ]);
  expect(reasons('{"text":"é",\n "filters":[]}')).toEqual(['[2:2] [analyze_request] unknown field [filters] did you mean [filter]?']);
});

test('refuses bodies and fields of the wrong type', () => {
  expect(reasons('[]')).toEqual(['[1:1] [analyze_request] Expected START_OBJECT but was: START_ARRAY']);
  expect(reasons('{"attributes":null,"text":"a"}')).toEqual([
    "[1:15] [analyze_request] attributes doesn't support values of type: VALUE_NULL",
  ]);
  expect(reasons('{"text":["a",{}]}')).toEqual([
    '[1:14] [analyze_request] failed to parse field [text]',
    "Can't get text on a START_OBJECT at 1:14",
  ]);
  expect(reasons('{"filter":[["a"]],"text":"a"}')[1]).toBe('expected value but got [START_ARRAY]');
  expect(reasons('{"explain":"yes","text":"a"}')[1]).toBe('Failed to parse value [yes] as only [true] or [false] are allowed.');
  expect(reasons('{"tokenizer":{"type":null},"text":"a"}')).toEqual(['Missing [type] setting for anonymous tokenizer: {"type":null}']);
  expect(reasons('{"filter":[{"b":{"c":1},"a":["x"]}],"text":"a"}')).toEqual([
    'Missing [type] setting for anonymous filter: {"a":["x"],"b.c":"1"}',
  ]);
  expect(reasons('{"filter":[{"type":"stop","stopwords":[null]}],"text":"a"}')).toEqual([
    '[1:12] [analyze_request] failed to parse field [filter]',
    'Failed to parse [{type=stop, stopwords=[null]}]',
    'Failed to load settings from [{"type":"stop","stopwords":[null]}]',
    'only value lists are allowed in serialized settings',
  ]);
});

test('refuses a field together with components', () => {
  expect(reasons('{"field":"f","filter":["lowercase"],"text":"a"}', 'i')).toEqual([
    'Validation Failed: 1: cannot define extra components on a field-specific analyzer;',
  ]);
});

test('keeps numbers in a list of strings as written, and converts those in settings like Java', () => {
  expect(ask('{"tokenizer":"whitespace","text":["1.50",1.50,1e5] /* as given */}')).toMatchObject({
    tokens: [{ token: '1.50' }, { token: '1.50' }, { token: '1e5' }],
  });
  expect(ask('{"tokenizer":"whitespace","filter":[{"type":"stop","stopwords":[1.50,1e2]}],"text":"1.5 1.50 100.0 1e2"}')).toMatchObject({
    tokens: [{ token: '1.50' }, { token: '1e2' }],
  });
});

test('explain shows bytes in UTF-8, payloads if the stream has them, and keyword flags if a filter uses them', () => {
  const detail = (filter: unknown[], text: string) =>
    (ask(JSON.stringify({ tokenizer: 'whitespace', filter, text, explain: true })) as any).detail.tokenfilters[0].tokens;
  expect(detail(['lowercase'], '\ud800')[0].bytes).toBe('[ef bf bd]');
  const payloads = detail(['delimited_payload'], 'a|1 b').map((token: object) => Reflect.get(token, 'payload'));
  expect(payloads).toEqual(['[3f 80 0 0]', null]);
  expect(detail(['lowercase'], 'a')[0]).not.toHaveProperty('payload');
  for (const type of ['truncate', 'hindi_normalization', 'bengali_normalization'])
    expect(detail([{ type, length: 1 }], 'a')[0]).toHaveProperty('keyword', false);
});
