// Sends generated scripts to a peer's _scripts/painless/_execute and compares its answers with those of the compiler here.
//   npm run test:peer-scripts -- --peer http://127.0.0.1:9207 [--seed 1] [--count 2000] [--file PATH]      PATH: scripts, one a line
// Compared are results, types and reasons of errors, and their offsets. Hash codes of objects differ by nature and are not compared.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ApiError } from '../../src/errors/api-error.ts';
import { CONTEXTS } from '../../src/scripting/contexts.ts';
import '../../src/scripting/doc-script.ts';
import { textOf } from '../../src/scripting/java/objects.ts';
import { compileScript } from '../../src/scripting/painless.ts';
import { Rng } from '../support/rng.ts';
import { generateScript } from './script-generator.ts';

const { values: options } = parseArgs({
  options: {
    peer: { type: 'string', default: 'http://127.0.0.1:9207' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '2000' },
    file: { type: 'string' },
  },
});

interface Answer {
  readonly result?: string;
  readonly error?: string;
  readonly at?: number;
}

function here(source: string): Answer {
  try {
    return { result: textOf(compileScript(source, CONTEXTS.painless_test).run({ params: new Map() })) };
  } catch (thrown) {
    const error = thrown as ApiError;
    if (error.type !== 'script_exception') return { error: `crash: ${error.stack}` };
    const position = error.details['position'] as { offset: number } | undefined;
    return { error: `${error.reason}: ${error.causedBy?.type}: ${error.causedBy?.reason}`, at: position?.offset };
  }
}

async function there(source: string): Promise<Answer> {
  const answer = await fetch(`${options.peer}/_scripts/painless/_execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ script: { source } }),
  });
  const { result, error } = (await answer.json()) as {
    result?: string;
    error?: { reason: string; position?: { offset: number }; caused_by?: { type: string; reason: string | null } };
  };
  if (!error) return { result };
  return { error: `${error.reason}: ${error.caused_by?.type}: ${error.caused_by?.reason ?? null}`, at: error.position?.offset };
}

const stable = (text: string | undefined): string | undefined => text?.replace(/@[0-9a-f]{1,8}\b/g, '');

const DOUBLE = /-?\d+\.\d+(?:E-?\d+)?/g;

/** True if the texts differ only in how the same doubles are written: before JDK 19, not always as short as possible. */
function sameDoubles(ours: string, theirs: string): boolean {
  const plain = (text: string): string => text.replace(DOUBLE, (found) => String(Number(found)));
  return plain(ours) === plain(theirs);
}

/** Known differences: messages of the virtual machine that depend on its version. */
function reasonOf(ours: Answer, theirs: Answer): string | null {
  if (/null_pointer_exception/.test(ours.error ?? '') && /null_pointer_exception/.test(theirs.error ?? ''))
    return 'message of the virtual machine';
  // `1.5 instanceof Map` makes code there that the virtual machine refuses.
  if (theirs.error?.includes('verify_error')) return 'invalid code of the peer';
  // An exception that was thrown often enough has neither message nor stack there.
  if (/\/ by zero/.test(ours.error ?? '') && theirs.error?.endsWith('arithmetic_exception: null')) return 'exception without message';
  if (ours.result !== undefined && theirs.result !== undefined && sameDoubles(ours.result, theirs.result))
    return 'Double.toString before JDK 19';
  if (stable(ours.error) === stable(theirs.error) && ours.at !== theirs.at) return 'offset of a runtime error';
  return null;
}

const rng = new Rng(Number(options.seed));
const explained = new Map<string, number>();
let same = 0;
let different = 0;
const given = options.file ? readFileSync(options.file, 'utf8').split('\n').filter(Boolean) : null;
for (let i = 0; i < (given?.length ?? Number(options.count)); i++) {
  const source = given?.[i] ?? generateScript(rng);
  const [ours, theirs] = [here(source), await there(source)];
  if (stable(ours.result) === stable(theirs.result) && stable(ours.error) === stable(theirs.error) && ours.at === theirs.at) same++;
  else {
    const reason = reasonOf(ours, theirs);
    if (reason) explained.set(reason, (explained.get(reason) ?? 0) + 1);
    else {
      different++;
      console.log(`${source}\n  here:  ${JSON.stringify(ours)}\n  there: ${JSON.stringify(theirs)}`);
    }
  }
}
console.log(JSON.stringify({ same, different, explained: Object.fromEntries(explained) }));
process.exitCode = different > 0 ? 1 : 0;
