// Forms of filters in a request to `_analyze`.
import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { analyzeText } from '../../../src/analysis/analyze-api.ts';
import { ApiError } from '../../../src/errors/api-error.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const registry = AnalysisRegistry.global({ host: new AnalysisHost(analyzerModule()), files: null });
const analyze = (filter: unknown) => analyzeText(JSON.stringify({ tokenizer: 'standard', filter, text: 'Ab' }), { index: null, registry });

test('one definition may stand without a list', () => {
  expect(analyze({ type: 'lowercase' })).toMatchObject({ tokens: [{ token: 'ab' }] });
  expect(() => analyze('lowercase')).toThrow("[1:34] [analyze_request] filter doesn't support values of type: VALUE_STRING");
});

test('an item that is neither name nor definition is refused with what it is', () => {
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
