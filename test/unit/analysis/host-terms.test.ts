// Filters of the host that kernels call: once for a word, with answers of any size, and refusals that leave the kernels usable.
import { expect, test } from 'vitest';
import { chainBlob } from '../../../src/analysis/blob.ts';
import type { TokenFilter } from '../../../src/analysis/component.ts';
import { termFilter, termsFilter } from '../../../src/analysis/filters/host-terms.ts';
import { runChain } from '../../../src/analysis/tokens/token-stream.ts';
import { StringInput } from '../../../src/analysis/tokens/wtf8.ts';
import { illegalArgumentError } from '../../../src/errors/catalog.ts';
import type { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { StageId } from '../../../src/wasm/generated/analysis.ts';
import { eachAnalysisBuild } from '../../support/analysis-builds.ts';

/** Terms of a text after filters, with `*` before keywords and `+` before those at the position of the one before. */
function run(host: AnalysisHost, filters: readonly TokenFilter[]): (text: string) => string[] {
  const stages = filters.flatMap((filter) => (filter.kind === 'kernel' ? filter.stages : []));
  const program = { blob: chainBlob([{ id: StageId.KEYWORD, config: new Uint8Array(0) }, ...stages]) };
  return (text) =>
    runChain(host, program, new StringInput(text)).tokens.map(
      ({ term, keyword, posInc }) => `${posInc ? '' : '+'}${keyword ? '*' : ''}${term}`,
    );
}

eachAnalysisBuild((host, build) => {
  test(`${build}: calls the host once per word, whatever the result`, () => {
    const asked: string[] = [];
    const answers: Record<string, string[]> = { many: ['one', '', 'löwe\ud800', 'many'], one: ['x'], none: [], empty: [''] };
    const through = run(host, [
      termsFilter((term) => {
        asked.push(term);
        return answers[term];
      }),
    ]);
    for (let round = 0; round < 3; round++) {
      expect(through('many')).toEqual(['one', '+', '+löwe\ud800', '+many']);
      expect(through('one')).toEqual(['x']);
      expect(through('none')).toEqual(['none']);
      expect(through('empty')).toEqual(['']);
    }
    expect(asked).toEqual(['many', 'one', 'none', 'empty']);
  });

  test(`${build}: replaces, marks and drops terms`, () => {
    const isLong = (term: string): string[] => (term.length > 3 ? [term] : []);
    expect(run(host, [termFilter('replace', (term) => [term.repeat(3)])])('añ')).toEqual(['añañañ']);
    expect(run(host, [termFilter('replace', (term) => [term.slice(1)])])('añb')).toEqual(['ñb']);
    expect(run(host, [termFilter('mark', isLong)])('long')).toEqual(['*long']);
    expect(run(host, [termFilter('mark', isLong)])('no')).toEqual(['no']);
    expect(run(host, [termFilter('dropOthers', isLong)])('long')).toEqual(['long']);
    expect(run(host, [termFilter('dropOthers', isLong)])('no')).toEqual([]);
  });

  test(`${build}: does not call the host for keywords that stay unchanged`, () => {
    const mark = termFilter('mark', (term) => (term === 'a' ? [term] : []));
    const double = (term: string): string[] => [term, term];
    expect(run(host, [mark, termsFilter(double, { keepsKeywords: true })])('a')).toEqual(['*a']);
    expect(run(host, [mark, termsFilter(double)])('a')).toEqual(['*a', '+*a']);
    expect(run(host, [mark, termsFilter(double, { keepsKeywords: true })])('b')).toEqual(['b', '+b']);
  });

  test(`${build}: computes a result that needs more memory once`, () => {
    let calls = 0;
    const large = 'ä'.repeat(3_000_000);
    const through = run(host, [
      termsFilter(() => {
        calls++;
        return [large, 'x'];
      }),
    ]);
    expect(through('a').map((term) => term.length)).toEqual([large.length, 2]);
    expect(calls).toBe(1);
  });

  test(`${build}: a refusal affects only its text, not the next one`, () => {
    const through = run(host, [
      termsFilter((term) => {
        if (term === 'bad') throw illegalArgumentError('no such word');
        return [term];
      }),
    ]);
    expect(through('good')).toEqual(['good']);
    expect(() => through('bad')).toThrow('no such word');
    expect(through('good')).toEqual(['good']);
  });
});
