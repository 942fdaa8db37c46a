// Any word through every stemmer: no crash, a stem of bounded length, and the same one from the build with assertions and without.
import { expect, test } from 'vitest';
import { chainBlob, words } from '../../src/analysis/blob.ts';
import { stemStage } from '../../src/analysis/languages/stemmers.ts';
import { runChain } from '../../src/analysis/tokens/token-stream.ts';
import type { AnalysisHost } from '../../src/wasm/analysis.ts';
import { StageId, Stemmer } from '../../src/wasm/generated/analysis.ts';
import { eachAnalysisBuild } from '../support/analysis-builds.ts';
import { forSeeds, type Rng } from '../support/rng.ts';

const hosts: AnalysisHost[] = [];
eachAnalysisBuild((host) => hosts.push(host));

/** Letters of the languages that have stemmers, points and marks among them. */
const ALPHABETS = [
  "abcdefghijklmnopqrstuvwxyz'’",
  'aeiouylnrstdgk',
  'aeiouáàâäãåæçčćéèêëíîïıłñńóòôöõøœßšşțțúùûüžđyrstndlk',
  'αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋ',
  'абвгдежзийклмнопрстуфхцчшщъыьэюяёђјљњћџ',
  'աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ',
  'אבגדהוזחטיךכלםמןנסעףפץצקרשתװױײְִַָּׁׂ',
  'ابتثجحخدذرزسشصضطظعغفقكلمنهويىةءآأإؤئکیەێ\u0640\u064b\u0651\ufefb\ufe8d\u200c٣',
  'अआइईउऊएओकखगघचछजटडतथदनपफबभमयरलवशसह़ािीुूेैोौ्ँं',
  'অআইউএকখগচছজটডতদনপবমযরলশসহািীুূেো্\u09df',
  'அஆஇஈஉஊஎஏஒகஙசஞடணதநனபமயரறலளழவாிீுூெேைொோ்',
  'GETSUHIY*$§%#!',
];
/** Units that a stemmer may add to a word. */
const GROWTH = 16;
const MAX_UNITS_OF_A_UNIT = 2;

function randomWord(rng: Rng): string {
  const letters = [...rng.pick(ALPHABETS)];
  const piece = Array.from({ length: rng.int(1, 4) }, () => rng.pick(letters)).join('');
  const length = rng.bool(0.02) ? rng.int(1000, 5000) : rng.skewed(40);
  return Array.from({ length }, () => {
    if (rng.bool(0.02)) return String.fromCodePoint(rng.pick([rng.int(1, 0xd7ff), rng.int(0xe000, 0x10ffff)]));
    return rng.bool(0.3) ? piece : rng.pick(letters);
  }).join('');
}

test.each(Object.entries(Stemmer))('%s', (_, id) => {
  const filter = stemStage(id);
  if (filter.kind !== 'kernel') throw new Error('a stemmer is a kernel');
  const blob = chainBlob([{ id: StageId.KEYWORD, config: words([]) }, ...filter.stages]);
  const [release, debug] = hosts.map((host) => {
    const program = { blob };
    return (word: string): string => runChain(host, program, new TextEncoder().encode(word)).tokens[0].term;
  });
  forSeeds(200, (rng) => {
    const word = randomWord(rng);
    const stem = release(word);
    expect(debug(word)).toBe(stem);
    expect(stem.length).toBeLessThanOrEqual(word.length * MAX_UNITS_OF_A_UNIT + GROWTH);
  });
});
