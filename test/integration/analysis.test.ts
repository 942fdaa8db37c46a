// Analysis in the running service: the tokens of module, service and library are the same; warnings about ignored parameters; queries from graphs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANALYZERS } from '../../src/analysis/registry.ts';
import { loadAnalyzer, type TextAnalysis } from '../../src/analyzer-node.ts';
import { type Engine, open } from '../../src/library.ts';
import { startService, type TestService } from '../support/service.ts';

const TEXTS = [
  "The QUICK brown Fox's 3.14 jumped-over café naïve, isn't it? x@y.org",
  'Die Häuser der Bäume, Straßen und größten Äpfel',
  'Les élèves n’étaient pas à l’école aujourd’hui',
  'Быстрая коричневая лиса прыгает через ленивых собак',
  'हिन्दी में लिखे गए शब्दों का विश्लेषण',
  '日本語のテキスト、한국어 텍스트と中文',
  'العربية والكتاب الكبير في المدينة',
  'ภาษาไทยไม่มีช่องว่าง',
  "İstanbul'da ISPARTALI ευχαριστώ\u0301 \ud83d x \ude00 👩‍🚀",
  '',
];
const CHAINS = {
  analysis: {
    char_filter: { amp: { type: 'mapping', mappings: ['& => und'] } },
    filter: {
      start: { type: 'edge_ngram', min_gram: 2, max_gram: 5 },
      same: { type: 'synonym_graph', synonyms: ['quick, very fast', 'fox => small animal'] },
      parts: { type: 'word_delimiter_graph', preserve_original: true },
      vowels: { type: 'pattern_replace', pattern: '([aeiou])[aeiou]*', replacement: '<$1>' },
      long: { type: 'condition', filter: ['reverse', 'porter_stem'], script: { source: 'token.term.length() > 4' } },
      both: { type: 'multiplexer', filters: ['lowercase', 'uppercase, reverse'] },
      some: { type: 'limit', max_token_count: 7 },
    },
    tokenizer: { words: { type: 'pattern', pattern: '[^\\p{L}]+' } },
    analyzer: {
      host: { tokenizer: 'words', filter: ['keyword_repeat', 'long', 'remove_duplicates', 'some'] },
      branches: { tokenizer: 'standard', filter: ['both', 'vowels'] },
      autocomplete: { tokenizer: 'standard', filter: ['lowercase', 'asciifolding', 'start'] },
      shingles: { tokenizer: 'standard', filter: ['lowercase', 'stop', 'shingle'] },
      synonyms: { tokenizer: 'standard', filter: ['lowercase', 'same'] },
      delimiters: { tokenizer: 'whitespace', char_filter: ['html_strip', 'amp'], filter: ['parts', 'lowercase'] },
    },
  },
};

let service: TestService;
let engine: Engine;
let analysis: TextAnalysis;
const folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-analysis-'));

beforeAll(async () => {
  service = await startService();
  engine = await open({ path: folder, settings: { 'memory.limit': '512mb' } });
  analysis = await loadAnalyzer({ settings: CHAINS as never });
  expect((await service.request('PUT', '/chains', { settings: CHAINS })).status).toBe(200);
  await engine.indices.create({ index: 'chains', body: { settings: CHAINS } as never });
});

afterAll(async () => {
  await engine?.close();
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('module, service and library', () => {
  for (const name of [...ANALYZERS.keys(), ...Object.keys(CHAINS.analysis.analyzer)]) {
    test(`${name} returns the same tokens in all three`, async () => {
      for (const text of TEXTS) {
        const expected = analysis.request({ analyzer: name, text });
        const inService = await service.request('POST', '/chains/_analyze', { analyzer: name, text });
        expect(inService.body).toEqual(expected);
        expect(await engine.analyze({ index: 'chains', body: { analyzer: name, text } })).toEqual(expected);
      }
    });
  }
});

describe('warnings', () => {
  test('an index with unused analysis settings warns about them', async () => {
    const filter = { odd: { type: 'stop', stopwords: '_klingon_', ignorecase: true } };
    const body = { settings: { analysis: { filter, analyzer: { a: { tokenizer: 'standard', filter: ['odd'] } } } } };
    const { status, headers } = await service.request('PUT', '/odd', body);
    expect(status).toBe(200);
    expect(headers.get('warning')).toMatch(
      /^299 Elasticsearch-.*\[odd\] has no parameter \[ignorecase\].*\[odd\] knows no list \[_klingon_\]/,
    );
    expect((await service.request('PUT', '/even', { settings: CHAINS })).headers.get('warning')).toBeNull();
  });

  test('_analyze warns on each request', async () => {
    const request = { tokenizer: 'standard', filter: [{ type: 'stop', stop_words: ['a'] }], text: 'a b' };
    for (let i = 0; i < 2; i++) {
      const { headers, body } = await service.request('POST', '/_analyze', request);
      expect(headers.get('warning')).toContain('has no parameter [stop_words]');
      expect(body.tokens.map((token: { token: string }) => token.token)).toEqual(['b']);
    }
    expect((await service.request('POST', '/_analyze', { analyzer: 'standard', text: 'a' })).headers.get('warning')).toBeNull();
  });
});

describe('queries from graphs', () => {
  beforeAll(async () => {
    const text = (search_analyzer: string) => ({ type: 'text', analyzer: 'standard', search_analyzer });
    const settings = {
      analysis: {
        filter: {
          places: { type: 'synonym_graph', synonyms: ['ny, new york', 'usa, united states of america'] },
          parts: { type: 'word_delimiter_graph', catenate_all: true },
        },
        analyzer: {
          places: { tokenizer: 'standard', filter: ['lowercase', 'places'] },
          parts: { tokenizer: 'whitespace', filter: ['parts', 'lowercase'] },
        },
      },
    };
    const properties = { place: text('places'), part: text('parts') };
    expect((await service.request('PUT', '/graphs', { settings, mappings: { properties } })).status).toBe(200);
    const places = ['new york city', 'ny city', 'york new city', 'new city in york', 'united states of america', 'states united america'];
    for (const [i, place] of places.entries()) await service.request('PUT', `/graphs/_doc/p${i + 1}`, { place });
    for (const [i, part] of ['wifi router', 'wi fi router', 'fi wi router', 'router wi and fi'].entries()) {
      await service.request('PUT', `/graphs/_doc/w${i + 1}`, { part });
    }
    await service.request('POST', '/graphs/_refresh');
  });

  const CASES: [string, object, string][] = [
    ['each side of a synonym is a phrase', { match: { place: { query: 'ny city', operator: 'and' } } }, 'p1 p2'],
    ['the longer side leads to the shorter', { match: { place: 'new york' } }, 'p1 p2'],
    [
      'auto_generate_synonyms_phrase_query false: words in any order',
      { match: { place: { query: 'ny city', operator: 'and', auto_generate_synonyms_phrase_query: false } } },
      'p1 p2 p3 p4',
    ],
    ['a phrase goes every way through the graph', { match_phrase: { place: 'ny city' } }, 'p1 p2'],
    ['the same from the longer side', { match_phrase: { place: 'new york city' } }, 'p1 p2'],
    ['with slop', { match_phrase: { place: { query: 'ny city', slop: 2 } } }, 'p1 p2 p3'],
    ['a phrase with a last prefix', { match_phrase_prefix: { place: 'ny ci' } }, 'p1 p2'],
    ['four words for one', { match: { place: 'usa' } }, 'p5'],
    ['minimum_should_match counts a graph as one clause', { match: { place: { query: 'ny city map', minimum_should_match: 2 } } }, 'p1 p2'],
    ['query_string', { query_string: { query: 'ny city', default_field: 'place', default_operator: 'and' } }, 'p1 p2'],
    ['multi_match', { multi_match: { query: 'ny city', fields: ['place'], operator: 'and' } }, 'p1 p2'],
    ['parts of a word or the whole', { match: { part: { query: 'wi-fi router', operator: 'and' } } }, 'w1 w2'],
    ['parts of a word in a phrase', { match_phrase: { part: 'Wi-Fi router' } }, 'w1 w2'],
  ];
  for (const [title, query, ids] of CASES) {
    test(title, async () => {
      const { body } = await service.request('POST', '/graphs/_search', { query, size: 20 });
      const found = body.hits.hits.map((hit: { _id: string }) => hit._id).sort();
      expect(found.join(' ')).toBe(ids);
    });
  }
});

test('updateable synonyms are for searches, and are reloaded on demand', async () => {
  const config = mkdtempSync(path.join(os.tmpdir(), 'gannet-config-'));
  const file = path.join(config, 'synonyms.txt');
  writeFileSync(file, 'ny => york\n');
  const own = await startService(['--path.config', config]);
  try {
    const analysis = {
      filter: { same: { type: 'synonym_graph', synonyms_path: 'synonyms.txt', updateable: true } },
      analyzer: { find: { tokenizer: 'standard', filter: ['lowercase', 'same'] } },
    };
    const mappings = (field: object) => ({ settings: { analysis }, mappings: { properties: { t: { type: 'text', ...field } } } });
    const refused = await own.request('PUT', '/refused', mappings({ analyzer: 'find' }));
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain(
      'analyzer [find] contains filters [same] that are not allowed to run in index time mode.',
    );
    expect((await own.request('PUT', '/words', mappings({ analyzer: 'standard', search_analyzer: 'find' }))).status).toBe(200);
    await own.request('PUT', '/words/_doc/1?refresh=true', { t: 'york' });
    const found = async (word: string): Promise<number> =>
      (await own.request('POST', '/words/_search', { query: { match: { t: word } } })).body.hits.total.value;
    expect([await found('ny'), await found('big')]).toEqual([1, 0]);
    writeFileSync(file, 'big => york\n');
    const reloaded = await own.request('POST', '/words/_reload_search_analyzers');
    expect(reloaded.body).toMatchObject({ _shards: { failed: 0 }, reload_details: [{ index: 'words', reloaded_analyzers: ['find'] }] });
    expect([await found('ny'), await found('big')]).toEqual([0, 1]);
    // After the file is deleted, the previous analyzers stay in use.
    rmSync(file);
    expect((await own.request('POST', '/words/_reload_search_analyzers')).status).toBe(400);
    expect(await found('big')).toBe(1);
  } finally {
    await own.stop();
    rmSync(config, { recursive: true, force: true });
  }
});
