// Stems of words that each exercise one rule of the light and minimal stemmers and of KStem; sources in assembly/analysis/stemmers.
import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { analyzeText } from '../../../src/analysis/analyze/analyze-api.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const registry = AnalysisRegistry.global({ host: new AnalysisHost(analyzerModule()), files: null });

function stems(language: string, text: string): string {
  const body = { tokenizer: 'whitespace', filter: [{ type: 'stemmer', language }], text };
  const { tokens } = analyzeText(JSON.stringify(body), { index: null, registry }) as { tokens: { token: string }[] };
  return tokens.map(({ token }) => token).join(' ');
}

test.each([
  ['light_finnish', 'taloissaan autokin kirjojen lahden', 'taloiss autok kirjo lahd'],
  ['light_hungarian', 'házakban könyveinkkel asztalok', 'haz konyv asztal'],
  ['light_swedish', 'flickornas känslor skönhetens', 'flick känsl skön'],
  ['light_norwegian', 'hemmeligheten kvinnenes hemmelegheita', 'hemmelig kvinn hemmelegheit'],
  ['light_nynorsk', 'hemmelegheita gutane tryggleiken', 'hemmeleg gut trygg'],
  ['minimal_norwegian', 'kvinnenes hemmelighetene gutane', 'kvinn hemmelighet gutan'],
  ['minimal_nynorsk', 'gutane gutar hemmeleg', 'gut gut hemmeleg'],
  ['minimal_french', 'chevaux chanteuses noix journées', 'cheval chanteus noix journ'],
  ['minimal_portuguese', 'balões papéis pires casas', 'balão papel pires casa'],
  ['portuguese_rslp', 'felizmente menina amiguinho brasileiros cantaríamos', 'feliz menin amig brasil cant'],
  ['plural_english', 'pies spies axes boxes headaches beaches bus glass', 'pie spy axe box headache beach bus glass'],
  ['spanish_plural', 'leyes amores parques voces paraguas jerséis brandis clubes', 'ley amor parque voz paraguas jersey brandy club'],
  ['lightGerman', 'häuser', 'haus'],
  ['Plural_English', 'boxes', 'box'],
])('%s', (language, text, expected) => {
  expect(stems(language, text)).toBe(expected);
});

test.each([
  ['the word itself stays', 'memorial police running', 'memorial police running'],
  ['plurals', 'calories elephants crosses buses', 'calorie elephant cross bus'],
  ['verbs: with e, bare, one consonant of two', 'bathed filmed backfilled', 'bath film backfill'],
  ['a default for what no list has', 'microcoded footstamping fingerspelling', 'microcode footstamp fingerspell'],
  ['nouns of adjectives and verbs', 'amplification immunity happiness', 'amplify immune happiness'],
  ['a root of its own', 'chinese europeans going', 'china europe go'],
  ['not of small letters, or short', 'Running naïvely as', 'Running naïvely as'],
])('kstem: %s', (_, text, expected) => {
  expect(stems('kstem', text)).toBe(expected);
  expect(stems('light_english', text)).toBe(expected);
});
