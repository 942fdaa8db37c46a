// Runs a rival's run.sh. A rival whose tools (Java, cargo, Python) are missing is skipped by the benches with the line that the script prints.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

export type RivalName = 'duckdb' | 'lucene' | 'nginx' | 'tantivy';

export interface ScriptResult {
  /** Null if the script succeeded. */
  readonly problem: string | null;
  /** Standard output. */
  readonly output: string;
}

/** @param timeoutMs  the script is stopped after this time; it includes building the rival on the first call */
export function runScript(rival: RivalName, args: readonly string[], timeoutMs?: number): ScriptResult {
  const script = path.join(import.meta.dirname, rival, 'run.sh');
  const { status, stdout, stderr, error } = spawnSync(script, args, { encoding: 'utf8', maxBuffer: 2 ** 26, timeout: timeoutMs });
  const problem = status === 0 ? null : error?.message || stderr.trim().split('\n').at(-1) || `status ${status}`;
  return { problem, output: stdout ?? '' };
}
