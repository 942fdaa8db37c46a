// MB/s of analyzers on the multilingual corpus, one thread: kernels, JavaScript rivals (rivals.ts), and Lucene's analyzers with --lucene (Java 21
// and Maven).
//   npm run bench:analysis [-- --corpus DIR] [--rounds 7] [--only NAME] [--lucene] [--out FILE.json]
// --corpus: a folder of LANG.ndjson files with `text`, by default `multilingual` of `npm run bench:data`. Each row is an analyzer on its
// language's paragraphs, one short call for each paragraph; MB are UTF-8 bytes, seconds CPU seconds of all threads, best of the rounds (more of
// them for a row that takes less than three seconds), in which the contenders take turns; Lucene (CPU of its one thread, a warm JVM) runs between
// two halves of them. Each contender gets its usual input:
//   gannet   UTF-8 bytes, as an indexer has them; "x lucene" compares this
//   strings  JavaScript strings, through the module's iterator (`tokens` in src/analyzer.ts, the analyzer by name): start and end
//            of every token are read; its term remains UTF-8 bytes that the iterator points to; "x rival" compares this with the fastest rival
//   rivals   JavaScript strings; each makes a string of every token, which is counted; none reports offsets.
//   lucene   Java strings; the attributes hold every token's term, offsets and position increment
// A rival counts if its number of terms is within a fifth of the analyzer's. Before anything is timed the kernel's tokens of the first paragraphs
// are compared with what the host's own run of the same chain returns.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AnalysisRegistry } from '../../src/analysis/analysis-registry.ts';
import { TextAnalysis } from '../../src/analyzer.ts';
import { AnalysisHost } from '../../src/wasm/analysis.ts';
import { corpusPath, requireCorpus } from '../data/corpus.ts';
import { runScript } from '../rivals/run-script.ts';
import { rivalsOf } from './rivals.ts';

const { values } = parseArgs({
  options: {
    corpus: { type: 'string', default: corpusPath('multilingual') },
    rounds: { type: 'string', default: '7' },
    only: { type: 'string' },
    lucene: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});
const directory = values.corpus;
requireCorpus(directory, 'multilingual');
const rounds = Number(values.rounds);

/** Analyzer, its language's file, Lucene's class in org.apache.lucene.analysis. */
const ROWS: readonly (readonly [string, string, string])[] = [
  ['standard', 'en', 'standard'],
  ['standard', 'de', 'standard'],
  ['standard', 'ru', 'standard'],
  ['standard', 'hi', 'standard'],
  ['standard', 'ja', 'standard'],
  ['simple', 'en', 'core.SimpleAnalyzer'],
  ['whitespace', 'en', 'core.WhitespaceAnalyzer'],
  ['english', 'en', 'en.EnglishAnalyzer'],
  ['arabic', 'ar', 'ar.ArabicAnalyzer'],
  ['armenian', 'hy', 'hy.ArmenianAnalyzer'],
  ['basque', 'eu', 'eu.BasqueAnalyzer'],
  ['bengali', 'bn', 'bn.BengaliAnalyzer'],
  ['brazilian', 'pt-br', 'br.BrazilianAnalyzer'],
  ['bulgarian', 'bg', 'bg.BulgarianAnalyzer'],
  ['catalan', 'ca', 'ca.CatalanAnalyzer'],
  ['cjk', 'ja', 'cjk.CJKAnalyzer'],
  ['czech', 'cs', 'cz.CzechAnalyzer'],
  ['danish', 'da', 'da.DanishAnalyzer'],
  ['dutch', 'nl', 'nl.DutchAnalyzer'],
  ['estonian', 'et', 'et.EstonianAnalyzer'],
  ['finnish', 'fi', 'fi.FinnishAnalyzer'],
  ['french', 'fr', 'fr.FrenchAnalyzer'],
  ['galician', 'gl', 'gl.GalicianAnalyzer'],
  ['german', 'de', 'de.GermanAnalyzer'],
  ['greek', 'el', 'el.GreekAnalyzer'],
  ['hindi', 'hi', 'hi.HindiAnalyzer'],
  ['hungarian', 'hu', 'hu.HungarianAnalyzer'],
  ['indonesian', 'id', 'id.IndonesianAnalyzer'],
  ['irish', 'ga', 'ga.IrishAnalyzer'],
  ['italian', 'it', 'it.ItalianAnalyzer'],
  ['latvian', 'lv', 'lv.LatvianAnalyzer'],
  ['lithuanian', 'lt', 'lt.LithuanianAnalyzer'],
  ['norwegian', 'no', 'no.NorwegianAnalyzer'],
  ['persian', 'fa', 'fa.PersianAnalyzer'],
  ['portuguese', 'pt', 'pt.PortugueseAnalyzer'],
  ['romanian', 'ro', 'ro.RomanianAnalyzer'],
  ['russian', 'ru', 'ru.RussianAnalyzer'],
  ['sorani', 'ckb', 'ckb.SoraniAnalyzer'],
  ['spanish', 'es', 'es.SpanishAnalyzer'],
  ['swedish', 'sv', 'sv.SwedishAnalyzer'],
  ['thai', 'th', 'th.ThaiAnalyzer'],
  ['turkish', 'tr', 'tr.TurkishAnalyzer'],
];

const host = new AnalysisHost(new WebAssembly.Module(readFileSync(fileURLToPath(new URL('../../build/analyzer.wasm', import.meta.url)))));
const registry = AnalysisRegistry.global({ host, files: null });
const analysis = new TextAnalysis(host, null, {});
/** Five rounds measure a rival that is slower than this precisely enough. */
const SLOW_SECONDS = 0.1;
/** Least time of a row: a few rounds of some milliseconds would mostly measure other processes. */
const ROW_MICROSECONDS = 3e6;

interface Row {
  analyzer: string;
  language: string;
  mb: number;
  tokens: number;
  /** MB/s by contender. */
  speed: Record<string, number>;
  /** Terms that each rival makes. */
  terms: Record<string, number>;
}

/** A contender, whose turn analyzes all texts once, and the number of terms that it returns. */
interface Contender {
  readonly name: string;
  run(): number;
  /** Least CPU seconds so far. */
  seconds: number;
  terms: number;
}

function textsOf(language: string): string[] {
  return readFileSync(path.join(directory, `${language}.ndjson`), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).text as string);
}

/** Lets everyone run once, in turn; CPU time, on which other processes have little influence. */
function takeTurns(contenders: readonly Contender[]): void {
  for (const contender of contenders) {
    const start = process.cpuUsage();
    contender.terms = contender.run();
    const used = process.cpuUsage(start);
    contender.seconds = Math.min(contender.seconds, (used.user + used.system) / 1e6);
  }
}

function measure([name, language, luceneType]: (typeof ROWS)[number]): Row | null {
  const analyzer = registry.findAnalyzer(name);
  const file = path.join(directory, `${language}.ndjson`);
  if (!analyzer || !existsSync(file)) return null;
  const texts = textsOf(language);
  const bytes = texts.map((text) => analyzer.kernelInput(text));
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const count = (input: Uint8Array): number => {
    let tokens = 0;
    host.run(
      analyzer.cursorProgram,
      input,
      (_, __, ___, n) => (tokens += n),
      () => (tokens = 0),
    );
    return tokens;
  };
  // The kernel's run over bytes and the host's run over strings are the same chain: their tokens agree.
  for (let i = 0; i < Math.min(50, texts.length); i++) {
    if (count(bytes[i]) !== analyzer.analyze(texts[i]).length) throw new Error(`${name}: runs differ on paragraph ${i}`);
  }
  const contender = (contenderName: string, run: () => number): Contender => ({
    name: contenderName,
    run,
    seconds: Number.POSITIVE_INFINITY,
    terms: 0,
  });
  const sum = (of: (text: string, i: number) => number): number => texts.reduce((total, text, i) => total + of(text, i), 0);
  /**
   * Number of tokens of a text, counted by a rival that returns start and end of each; the offsets are read, so that they must be computed.
   */
  const visit = (text: string): number => {
    let tokens = 0;
    let units = 0;
    for (const token = analysis.tokens(text, name); token.next(); tokens++) units += token.endOffset - token.startOffset;
    return units < 0 ? 0 : tokens;
  };
  const ours = [
    contender('gannet', () => sum((text, i) => count(analyzer.isKernelChain ? bytes[i] : analyzer.kernelInput(text)))),
    contender('strings', () => sum(visit)),
  ];
  const rivals = rivalsOf(name, language).map((rival) => contender(rival.name, () => sum((text) => rival.run(text))));
  const row: Row = { analyzer: name, language, mb: size / 1e6, tokens: 0, speed: {}, terms: {} };
  const start = process.cpuUsage().user;
  for (let i = 0; i < rounds || process.cpuUsage().user - start < ROW_MICROSECONDS; i++) {
    if (values.lucene && i === Math.ceil(rounds / 2)) row.speed.lucene = lucene(luceneType, file);
    takeTurns(ours);
    takeTurns(rivals.filter(({ seconds }) => i < 5 || seconds < SLOW_SECONDS));
  }
  for (const { name: contenderName, seconds } of [...ours, ...rivals]) row.speed[contenderName] = size / 1e6 / seconds;
  for (const { name: rivalName, terms } of rivals) row.terms[rivalName] = terms;
  row.tokens = ours[0].terms;
  if (ours[1].terms !== row.tokens) throw new Error(`${name}: the iterator gives ${ours[1].terms} tokens`);
  return row;
}

/** The fastest of the rivals that produce about the same number of terms. */
function bestRival({ terms, tokens, speed }: Row): number | undefined {
  const equals = Object.keys(terms).filter((name) => Math.abs(terms[name] - tokens) <= tokens / 5);
  return equals.length ? Math.max(...equals.map((name) => speed[name])) : undefined;
}

function lucene(type: string, file: string): number {
  const args = ['analyze', String(Math.max(rounds, 25)), type === 'standard' ? type : `org.apache.lucene.analysis.${type}`, file];
  const { problem, output } = runScript('lucene', args);
  if (problem) throw new Error(`lucene: ${problem}`);
  return Number(output.trim().split('\t')[2]);
}

const rows = ROWS.filter(([name]) => !values.only || name === values.only)
  .map(measure)
  .filter((row) => row !== null);
const ENGINES = ['gannet', 'lucene', 'strings', 'twin', 'minisearch', 'lunr', 'snowball', 'segmenter'];
const ratio = (ours: number, theirs: number | undefined): string => (theirs ? (ours / theirs).toFixed(2) : '-');
process.stdout.write(
  'MB/s of CPU time. gannet: UTF-8 bytes to tokens; strings: JavaScript strings, start and end of each token read; twin to segmenter: strings to terms.\n' +
    `${['analyzer', 'texts', 'tokens', ...ENGINES.map((engine) => `${engine} MB/s`), 'x lucene', 'x rival'].join(' | ')}\n`,
);
for (const row of rows) {
  const speeds = ENGINES.map((engine) => row.speed[engine]?.toFixed(0) ?? '-');
  const ratios = [ratio(row.speed.gannet, row.speed.lucene), ratio(row.speed.strings, bestRival(row))];
  process.stdout.write(`${[row.analyzer, row.language, row.tokens, ...speeds, ...ratios].join(' | ')}\n`);
}
if (values.out) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  writeFileSync(values.out, `${JSON.stringify({ commit, machine: cpus()[0]?.model, node: process.version, rounds, rows }, null, 2)}\n`);
}
