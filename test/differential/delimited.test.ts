import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../src/analysis/analysis-registry.ts';
import { TokenCursor } from '../../src/analysis/tokens/token-cursor.ts';
import { eachAnalysisBuild } from '../support/analysis-builds.ts';
import { forSeeds } from '../support/rng.ts';

/** Terms and payloads of words cut at the first delimiter, by strings. */
function cut(text: string, delimiter: string): { term: string; data: string | null }[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const at = word.indexOf(delimiter);
      return at < 0 ? { term: word, data: null } : { term: word.slice(0, at), data: word.slice(at + delimiter.length) };
    });
}

eachAnalysisBuild((host, build) => {
  const analyzerOf = (filters: Record<string, unknown>[]) => {
    const filter = Object.fromEntries(filters.map((definition, i) => [`f${i}`, definition]));
    const analysis = { filter, analyzer: { mine: { tokenizer: 'whitespace', filter: Object.keys(filter) } } };
    return AnalysisRegistry.build({ host, files: null }, { analysis } as never).analyzer('mine');
  };
  const streamOf = (filters: Record<string, unknown>[], text: string) => analyzerOf(filters).stream(text);

  test(`${build}: delimited_payload equals its twin, across batches and with filters after it`, () => {
    forSeeds(40, (rng) => {
      const delimiter = rng.pick(['|', 'é', '日']);
      const word = () => Array.from({ length: rng.int(1, 6) }, () => rng.pick(['a', 'b', delimiter, '7', 'ü'])).join('');
      const text = Array.from({ length: rng.pick([3, 40, 1500]) }, word).join(' ');
      const { tokens } = streamOf([{ type: 'delimited_payload', delimiter, encoding: 'identity' }, { type: 'uppercase' }], text);
      const expected = cut(text, delimiter).map(({ term, data }) => ({
        term: term.toUpperCase(),
        payload: data === null ? null : new TextEncoder().encode(data),
      }));
      expect(tokens.map(({ term, payload }) => ({ term, payload }))).toEqual(expected);
    });
  });

  test(`${build}: the last filter's payloads replace earlier ones, and clear them if it has none`, () => {
    const identity = { type: 'delimited_payload', encoding: 'identity' };
    const { tokens } = streamOf([identity, { ...identity, delimiter: '/' }, { type: 'edge_ngram', max_gram: 2 }], 'ab/x|1 cd|2');
    const text = (payload: Uint8Array | null): string | null => payload && new TextDecoder().decode(payload);
    expect(tokens.map(({ term, payload }) => [term, text(payload)])).toEqual([
      ['a', 'x'],
      ['ab', 'x'],
      ['c', null],
      ['cd', null],
    ]);
  });

  test(`${build}: parses floats, integers and frequencies, and refuses anything else`, () => {
    const payloads = (definition: object, text: string) =>
      streamOf([{ type: 'delimited_payload', ...definition }], text).tokens.map(({ payload }) => payload && [...payload]);
    expect(payloads({}, 'a|1.5 b c|1.5')).toEqual([[0x3f, 0xc0, 0, 0], null, [0x3f, 0xc0, 0, 0]]);
    expect(payloads({ encoding: 'int' }, 'a|-2')).toEqual([[0xff, 0xff, 0xff, 0xfe]]);
    expect(() => payloads({}, 'a|x')).toThrow(
      expect.objectContaining({ type: 'number_format_exception', reason: 'For input string: "x"' }),
    );
    expect(() => payloads({}, 'a|')).toThrow(expect.objectContaining({ reason: 'empty String' }));
    // The kernels keep working after a refusal.
    expect(payloads({}, 'a|0')).toEqual([[0, 0, 0, 0]]);
    const frequencies = streamOf([{ type: 'delimited_term_freq' }], 'a|3 b c|2000000000').tokens;
    expect(frequencies.map(({ term, termFreq }) => [term, termFreq])).toEqual([
      ['a', 3],
      ['b', 1],
      ['c', 2_000_000_000],
    ]);
    expect(() => streamOf([{ type: 'delimited_term_freq' }], 'a|0')).toThrow(
      expect.objectContaining({ type: 'illegal_argument_exception' }),
    );
  });

  test(`${build}: refuses more payloads than there are numbers, except for an index, which ignores them`, () => {
    const text = 'a|1 '.repeat(40_000);
    expect(() => streamOf([{ type: 'delimited_payload' }], text)).toThrow(
      expect.objectContaining({ type: 'illegal_argument_exception', reason: 'a text has more than [32766] payloads' }),
    );
    expect(new TokenCursor(host).run(analyzerOf([{ type: 'delimited_payload' }]), text, () => {})).toBe(40_000);
  });
});
