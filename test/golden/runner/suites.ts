// The recorded suites, each against a node of its own in this process. A suite returns the cases that differ, with the first difference.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openRestNode } from '../../support/rest-node.ts';
import { type AnalysisCase, runAnalysisCases } from './analysis.ts';
import type { Answer } from './answer.ts';
import { GOLDEN, loadDataSet } from './data-sets.ts';
import { type RecordedCase, runCase } from './requests.ts';

export type Suite = 'rest' | 'elasticsearch-7' | 'elasticsearch-8' | 'analysis';
export const SUITES: readonly Suite[] = ['rest', 'elasticsearch-7', 'elasticsearch-8', 'analysis'];

/** Settings under which the service answers like the recorded server. */
const RECORDED_FROM: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rest: { 'compat.flavor': 'opensearch' },
  analysis: { 'compat.flavor': 'opensearch' },
  'elasticsearch-7': { 'compat.version': '7.10.2' },
  'elasticsearch-8': { 'compat.version': '8.15.0' },
};

export interface SuiteResult {
  readonly cases: number;
  /** First difference by the case's id. */
  readonly differences: ReadonlyMap<string, string>;
}

export function runSuite(suite: Suite): Promise<SuiteResult> {
  if (suite === 'analysis') return runAnalysis();
  if (suite === 'rest') return runRequests(suite, filesIn('rest'), (answer) => answer);
  return runRequests(suite, [path.join(GOLDEN, 'elasticsearch', `${suite.slice(-1)}.jsonl.gz`)], withMarkedFractions);
}

function filesIn(folder: string): string[] {
  const names = readdirSync(path.join(GOLDEN, folder)).filter((name) => name.endsWith('.jsonl.gz'));
  return names.sort().map((name) => path.join(GOLDEN, folder, name));
}

function readCases<T>(file: string): T[] {
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}

async function runRequests(suite: Suite, files: readonly string[], reads: (answer: Answer) => Answer): Promise<SuiteResult> {
  const cases = files.flatMap((file) => readCases<RecordedCase>(file));
  const differences = new Map<string, string>();
  const node = await openRestNode(RECORDED_FROM[suite]);
  try {
    for (const name of new Set(cases.flatMap(({ index = [] }) => index))) await loadDataSet(node, suite, name);
    for (const recorded of cases) {
      const found = await runCase(node, recorded, reads);
      if (found) differences.set(recorded.id, `${found.path}: expected ${brief(found.expected)}, got ${brief(found.actual)}`);
    }
  } finally {
    await node.close();
  }
  return { cases: cases.length, differences };
}

function brief(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 300);
}

/**
 * Numbers of the answers of Elasticsearch are compared in their text form: those with a fraction or an exponent were recorded as `"f…"`.
 * The types of version 7 were taken out.
 */
function withMarkedFractions(answer: Answer): Answer {
  if (!answer.headers['content-type']?.includes('json')) return answer;
  const text = answer.text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    token.startsWith('"') || /^-?\d+$/.test(token) ? token : `"f${Number(token)}"`,
  );
  return { ...answer, text: text.replaceAll(/"_type":"_doc",?/g, '') };
}

async function runAnalysis(): Promise<SuiteResult> {
  const node = await openRestNode({ ...RECORDED_FROM.analysis, 'path.config': path.join(GOLDEN, 'analysis/config') });
  const differences = new Map<string, string>();
  let count = 0;
  try {
    for (const file of filesIn('analysis')) {
      const cases = readCases<AnalysisCase>(file);
      count += cases.length;
      await runAnalysisCases(node, cases, ({ id }, difference) => {
        if (difference !== null) differences.set(id, difference);
      });
    }
  } finally {
    await node.close();
  }
  return { cases: count, differences };
}
