// Large metadata commands are tried where they come from before main runs them: main has a listener and runs commands one after another, so a
// definition that is refused after long work must not be worked on there. A reader can leave the work to a lane (src/common/turns/turn.ts).
import { randomUUID } from 'node:crypto';
import type { CommandArgs, CommandName } from '../../api/core/context.ts';
import { canMove, TooHeavy } from '../../common/turns/turn.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import { runReducer } from '../../metadata/reducers.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import { buildAnalysis, mappingBuilder } from './build-index.ts';
import { dialectOfNode } from './node-dialect.ts';

/** Commands with fewer values and characters take about a millisecond. */
const SMALL_NODES = 1000;
/** Commands with more take 5 ms and longer, most of it in loops that do not check their turn. */
const LARGE_NODES = 5000;
const CHARS_PER_NODE = 32;

/** Commands whose bodies are stored, sent to each thread, and compiled there. */
const DEFINITIONS: readonly CommandName[] = [
  'createIndex',
  'putMapping',
  'putIndexTemplate',
  'putComponentTemplate',
  'putLegacyTemplate',
  'putPipeline',
];
/** Main takes about a third of a second to run such a command. */
const MAX_MEMBERS = 100_000;

/**
 * @returns digests of the large analysis definitions that were checked
 * @throws ApiError the error that main would answer with; TooHeavy
 */
export function rehearse<Name extends CommandName>(
  name: Name,
  state: ClusterState,
  args: CommandArgs<Name>,
  options: NodeOptions,
): readonly string[] {
  const nodes = countNodes(args);
  if (nodes <= SMALL_NODES) return [];
  if (nodes > LARGE_NODES && canMove()) throw new TooHeavy();
  if (nodes > LARGE_NODES && DEFINITIONS.includes(name)) checkSize(args);
  const checked: string[] = [];
  runReducer(name, state, args, {
    nowMs: Date.now(),
    dialect: dialectOfNode(options),
    newUuid: randomUUID,
    buildMapping: mappingBuilder(state, options, ({ settings, synonymSets }, digest) => {
      if (canMove()) throw new TooHeavy();
      buildAnalysis(settings, options, true, synonymSets);
      checked.push(digest);
    }),
  });
  return checked;
}

/** @throws ApiError illegal_argument_exception: more names and items than MAX_MEMBERS. Lists of strings, such as synonyms, cost little */
function checkSize(args: unknown): void {
  let members = 0;
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const key in value) {
      const member = (value as Record<string, unknown>)[key];
      if (typeof member === 'string' && Array.isArray(value)) continue;
      if (++members > MAX_MEMBERS) throw illegalArgumentError(`the definition has more than [${MAX_MEMBERS}] names and items`);
      visit(member);
    }
  };
  visit(args);
}

/** Values in `args`, long strings as several. Counting ends above `LARGE_NODES`. */
function countNodes(args: unknown): number {
  let nodes = 0;
  const visit = (value: unknown): void => {
    nodes++;
    if (typeof value === 'string') nodes += value.length / CHARS_PER_NODE;
    if (typeof value !== 'object' || value === null) return;
    for (const key in value) {
      if (nodes > LARGE_NODES) return;
      visit((value as Record<string, unknown>)[key]);
    }
  };
  visit(args);
  return nodes;
}
