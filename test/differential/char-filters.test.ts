import { expect, test } from 'vitest';
import { CharFilterChain } from '../../src/analysis/char-filters/apply.ts';
import { ENTITIES } from '../../src/analysis/char-filters/html-entities.ts';
import { htmlStripFilter } from '../../src/analysis/char-filters/html-strip.ts';
import { mappingFilter } from '../../src/analysis/char-filters/mapping.ts';
import type { CharFilter } from '../../src/analysis/component.ts';
import { correct, type Filtered, mapped } from '../reference/char-filters.ts';
import { stripped } from '../reference/html-strip.ts';
import { eachAnalysisBuild } from '../support/analysis-builds.ts';
import { forSeeds, type Rng } from '../support/rng.ts';

eachAnalysisBuild((host, build) => {
  /** Text and all offsets of the kernels equal those of the twins, applied in sequence. */
  const check = (filters: readonly CharFilter[], text: string, twins: readonly ((text: string) => Filtered)[]): void => {
    const result = new CharFilterChain(filters, host).apply(text);
    const steps: Filtered[] = [];
    for (const twin of twins) steps.push(twin(steps.at(-1)?.text ?? text));
    expect(result.text).toBe(steps.at(-1)!.text);
    for (let offset = 0; offset <= result.text.length; offset++) {
      expect(result.correct(offset)).toBe(steps.reduceRight((at, step) => correct(step, at), offset));
    }
  };

  test(`${build}: mapping equals its twin, also with lone surrogates`, () => {
    forSeeds(300, (rng) => {
      const rules = new Map(Array.from({ length: rng.int(1, 6) }, () => [piece(rng, 3) || 'a', piece(rng, 5)]));
      check([mappingFilter(rules)], piece(rng, 60), [(text) => mapped(text, rules)]);
    });
  });

  test(`${build}: html_strip equals its twin`, () => {
    forSeeds(400, (rng) => {
      const escaped = ['b', 'p', 'br', 'script', 'style', 'é'].filter(() => rng.bool(0.2));
      check([htmlStripFilter(escaped)], html(rng), [(text) => stripped(text, escaped, ENTITIES)]);
    });
  });

  test(`${build}: a sequence of filters maps offsets back to the original text`, () => {
    const rules = new Map([
      ['a', 'bb'],
      ['<', '[['],
      ['p>', ''],
    ]);
    forSeeds(150, (rng) => {
      const twins = [(text: string) => mapped(text, rules), (text: string) => stripped(text, [], ENTITIES)];
      const filters = [mappingFilter(rules), htmlStripFilter([])];
      const order = rng.bool() ? [0, 1, 0] : [1, 0];
      check(
        order.map((i) => filters[i]),
        html(rng),
        order.map((i) => twins[i]),
      );
    });
  });

  test(`${build}: filters a text larger than the initial memory of the kernels`, () => {
    const text = '<p>a &amp; b</p> '.repeat(100_000);
    const result = new CharFilterChain([htmlStripFilter([])], host).apply(text);
    expect(result.text).toBe('\na & b\n '.repeat(100_000));
    expect(result.correct(result.text.length)).toBe(text.length);
  });

  test(`${build}: limits the work for unclosed processing instructions`, () => {
    const filter = new CharFilterChain([htmlStripFilter([])], host);
    expect(() => filter.apply('<?'.repeat(1 << 16))).toThrow(/too much work/);
  });
});

const UNITS = ['a', 'b', 'c', 'é', '日', '😀', '\ud83d', '\ude00', ' '];
const piece = (rng: Rng, longest: number): string => Array.from({ length: rng.int(0, longest) }, () => rng.pick(UNITS)).join('');

const TAGS = [
  '<b>',
  '</b>',
  '<p>',
  '<br/>',
  '</br>',
  '<BR clear="x>y">',
  '<!-- c -->',
  '<!--#if x="-->" -->-->',
  '<script>a<b</script>',
  '<script',
  '</ script >',
  '<STYLE>x</style>',
  '<style>',
  '&amp;',
  '&eacute;',
  '&#233;',
  '&#x1F600;',
  '&nbsp;',
  '&lt',
  '&foo;',
  '&#0;',
  '&#xD83D;&#xDE00;',
  '&#55357;&#56832;',
  '&#xD83D;',
  '&#99999999;',
  '<a href="x>y">',
  "<a b='<c>'>",
  '<',
  '>',
  '<?xml ?>',
  '<?',
  '<![CDATA[ x ]]>',
  '<![cdata[',
  '<!DOCTYPE html>',
  '</ p >',
  '<1>',
  '<é>',
  '</é',
  'foo',
  'bar ',
  ' ',
  '\n',
  '&',
  '&#',
  '&#x',
  '&ampx',
  '<B\n>',
  'é',
  '<svg:g>',
  '<p/ >',
  '<!--',
  '-->',
  '"',
  "'",
  '=',
  '/',
  '\u0085',
  '😀',
];

function html(rng: Rng): string {
  return Array.from({ length: rng.int(0, 7) }, () => rng.pick(TAGS)).join('');
}
