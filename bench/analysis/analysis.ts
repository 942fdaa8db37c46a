// MB/s of analyzers on the multilingual corpus, one thread: kernels, JavaScript rivals (rivals.ts), and Lucene's analyzers with --lucene (Java 21
// and Maven).
//   npx tsx bench/analysis/analysis.ts CORPUS_DIR [--rounds 7] [--only NAME] [--lucene] [--out FILE.json]
// CORPUS_DIR: the folder `multilingual` that ../shared/bench/fetch-corpora.mjs makes (LANG.ndjson with `text`). Each row is an analyzer on its
// language's texts, as many short calls as there are paragraphs; MB are UTF-8 bytes, seconds CPU seconds; best of the rounds. Before anything is
// timed the kernel's tokens of the first paragraphs are compared with what the host's own run of the same chain gives. "x rival" compares with the
// fastest rival that does the same work, "x lucene" with Lucene.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AnalysisRegistry } from '../../src/analysis/analysis-registry.ts';
import { AnalysisHost } from '../../src/wasm/analysis.ts';
import { type Rival, rivalsOf } from './rivals.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '7' },
    only: { type: 'string' },
    lucene: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});
const [directory] = positionals;
if (!directory) throw new Error('usage: tsx bench/analysis/analysis.ts CORPUS_DIR');
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

interface Row {
  analyzer: string;
  language: string;
  mb: number;
  tokens: number;
  /** MB/s by engine. */
  speed: Record<string, number>;
  /** MB/s of the fastest rival that does the same work. */
  best: number;
}

function textsOf(language: string): string[] {
  return readFileSync(path.join(directory, `${language}.ndjson`), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).text as string);
}

/** Least CPU time of a body in seconds, so that other work on the machine does not count. */
function best(body: () => void, times = rounds): number {
  let seconds = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) {
    const start = process.cpuUsage();
    body();
    const used = process.cpuUsage(start);
    seconds = Math.min(seconds, (used.user + used.system) / 1e6);
  }
  return seconds;
}

function measure([name, language]: (typeof ROWS)[number]): Row | null {
  const analyzer = registry.findAnalyzer(name);
  const file = path.join(directory, `${language}.ndjson`);
  if (!analyzer || !existsSync(file)) return null;
  const texts = textsOf(language);
  const bytes = texts.map((text) => analyzer.kernelInput(text));
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  // The kernel's run over bytes and the host's run over strings are the same chain: their tokens agree.
  for (let i = 0; i < Math.min(50, texts.length); i++) {
    let count = 0;
    host.run(
      analyzer.cursorProgram,
      bytes[i],
      (_, __, ___, n) => (count += n),
      () => (count = 0),
    );
    if (count !== analyzer.analyze(texts[i]).length) throw new Error(`${name}: runs differ on paragraph ${i}`);
  }
  let tokens = 0;
  const kernel = best(() => {
    tokens = 0;
    for (let i = 0; i < texts.length; i++) {
      const input = analyzer.isKernelChain ? bytes[i] : analyzer.kernelInput(texts[i]);
      host.run(
        analyzer.cursorProgram,
        input,
        (_, __, ___, n) => (tokens += n),
        () => {},
      );
    }
  });
  const rivals = rivalsOf(name);
  const speed: Record<string, number> = { gannet: size / 1e6 / kernel };
  for (const rival of rivals) {
    const seconds = best(() => {
      for (const text of texts) rival.run(text);
    }, 3);
    speed[rival.name] = size / 1e6 / seconds;
  }
  return { analyzer: name, language, mb: size / 1e6, tokens, speed, best: bestRival(rivals, speed) };
}

/** The fastest of those that do what the analyzer does: stem, if one of them stems. */
function bestRival(rivals: readonly Rival[], speed: Readonly<Record<string, number>>): number {
  const stems = rivals.filter((rival) => rival.does === 'stem');
  return Math.max(...(stems.length ? stems : rivals).map((rival) => speed[rival.name]));
}

function lucene(rows: readonly Row[]): void {
  const script = fileURLToPath(new URL('./lucene/run.sh', import.meta.url));
  const args = rows.flatMap((row) => {
    const [, , type] = ROWS.find(([name, language]) => name === row.analyzer && language === row.language)!;
    return [type === 'standard' ? type : `org.apache.lucene.analysis.${type}`, path.join(directory, `${row.language}.ndjson`)];
  });
  const output = execFileSync(script, [String(Math.max(rounds, 15)), ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  output
    .trim()
    .split('\n')
    .forEach((line, i) => {
      rows[i].speed.lucene = Number(line.split('\t')[2]);
    });
}

const rows = ROWS.filter(([name]) => !values.only || name === values.only)
  .map(measure)
  .filter((row) => row !== null);
if (values.lucene) lucene(rows);
const ENGINES = ['gannet', 'lucene', 'twin', 'minisearch', 'lunr', 'snowball'];
const ratio = (ours: number, theirs: number | undefined): string => (theirs ? (ours / theirs).toFixed(2) : '-');
process.stdout.write(
  `${['analyzer', 'texts', 'tokens', ...ENGINES.map((engine) => `${engine} MB/s`), 'x lucene', 'x rival'].join(' | ')}\n`,
);
for (const row of rows) {
  const speeds = ENGINES.map((engine) => row.speed[engine]?.toFixed(0) ?? '-');
  const ratios = [ratio(row.speed.gannet, row.speed.lucene), ratio(row.speed.gannet, row.best)];
  process.stdout.write(`${[row.analyzer, row.language, row.tokens, ...speeds, ...ratios].join(' | ')}\n`);
}
if (values.out) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  writeFileSync(values.out, `${JSON.stringify({ commit, machine: cpus()[0]?.model, node: process.version, rounds, rows }, null, 2)}\n`);
}
