// The command line that the search-benchmark-game expects of an engine (Makefile next to this file).
//   tsx bench/game/game.ts index INDEX < corpus    documents from standard input, one {"id": .., "text": ..} a line, as one segment in the file INDEX
//   tsx bench/game/game.ts serve INDEX             a line `COMMAND<tab>query` from standard input, a line with the answer to standard output
import { writeFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import v8 from 'node:v8';
import { buildTextSegment, type TextDocument } from '../query/text-segment.ts';
import { usage } from '../usage.ts';
import { GameIndex } from './game-index.ts';

v8.setFlagsFromString('--no-liftoff');
v8.setFlagsFromString('--no-wasm-lazy-compilation');

const [command, index, ...rest] = process.argv.slice(2);
if (!index || rest.length > 0 || (command !== 'index' && command !== 'serve')) usage('game.ts index|serve INDEX');
if (command === 'index') {
  const { image, figures } = await buildTextSegment(documents());
  writeFileSync(index, image);
  process.stderr.write(`${JSON.stringify(figures)}\n`);
} else {
  const game = await GameIndex.open(index);
  for await (const line of inputLines()) writeSync(1, `${game.answer(line)}\n`);
}

async function* documents(): AsyncGenerator<TextDocument> {
  for await (const line of inputLines()) {
    if (line === '') continue;
    const { id, text } = JSON.parse(line) as { id: string; text: string };
    yield { id, text };
  }
}

/** To be called just before it is read: lines that arrive earlier are lost. */
function inputLines(): AsyncIterable<string> {
  return createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
}
