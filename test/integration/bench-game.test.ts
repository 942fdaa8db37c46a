// The program that takes part in the search-benchmark-game: indexes texts from standard input, then answers commands line by line.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { GameIndex } from '../../bench/game/game-index.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TEXTS = [
  'The quick brown fox',
  'A quick-witted brown dog and a brown cow',
  'brown bread',
  'The fox is quick. Quick as a fox',
  'nothing of the kind',
];

function game(command: string, index: string, input: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'bench/game/game.ts', command, index], {
    cwd: ROOT,
    input,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return stdout;
}

test('responds to the commands of the game in order, and with UNSUPPORTED to an unknown command or syntax', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-game-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const index = path.join(folder, 'idx.segment');
  game('index', index, TEXTS.map((text, i) => `${JSON.stringify({ id: `doc-${i}`, text })}\n`).join(''));
  const expected: ReadonlyArray<readonly [string, string]> = [
    ['COUNT\tbrown', '3'],
    ['COUNT\tquick fox', '3'],
    ['COUNT\t+quick +fox', '2'],
    ['COUNT\t"quick fox"', '0'],
    ['COUNT\t"brown fox"', '1'],
    ['COUNT\t"quick fox"~2', '2'],
    ['COUNT\t+brown -cow', '2'],
    ['COUNT\tbr*', '3'],
    ['COUNT\tbrawn~1', '3'],
    ['UNOPTIMIZED_COUNT\tbrown', '3'],
    ['TOP_10\tbrown', '1'],
    ['TOP_100\tquick fox', '1'],
    ['TOP_1000\tnever', '1'],
    ['TOP_10_COUNT\tquick fox', '3'],
    ['TOP_100_COUNT\t+quick +fox', '2'],
    ['TOP_1000_COUNT\tnever', '0'],
    // The standard tokenizer's tokens: lower case, a word with a hyphen is two.
    ['COUNT\tBrown', '3'],
    ['COUNT\t"Quick-witted"', '1'],
    ['TOP_10_FF\tbrown', 'UNSUPPORTED'],
    ['DELETE\tbrown', 'UNSUPPORTED'],
    ['COUNT\tbody:brown', 'UNSUPPORTED'],
    ['COUNT\t[a TO b]', 'UNSUPPORTED'],
    ['COUNT', 'UNSUPPORTED'],
  ];
  const answers = game('serve', index, expected.map(([line]) => `${line}\n`).join(''));
  expect(answers).toBe(expected.map(([, answer]) => `${answer}\n`).join(''));

  const opened = await GameIndex.open(index);
  const [best, ...others] = opened.best('quick fox', 10);
  expect(best[0]).toBe('doc-3');
  expect(others.map(([id]) => id)).toEqual(['doc-0', 'doc-1']);
  // BM25 with k1 = 0.9 and b = 0.4 in Lucene 8's form, without the factor k1 + 1: `cow` is once in a text of 9 tokens, of 27 / 5 on average.
  const idf = Math.log(1 + (5 - 1 + 0.5) / (1 + 0.5));
  expect(opened.best('cow', 1)[0][1]).toBeCloseTo(idf / (1 + 0.9 * (0.6 + (0.4 * 9) / (27 / 5))), 5);
});
