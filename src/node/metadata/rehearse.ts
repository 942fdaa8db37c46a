// Large metadata commands are tried where they come from before main runs them: main has a listener and runs commands one after another, so a
// definition that is refused after long work must not be worked on there. A reader can leave the work to a lane (src/common/turns/turn.ts).
import { randomUUID } from 'node:crypto';
import type { CommandArgs, CommandName } from '../../api/core/context.ts';
import { canMove, TooHeavy } from '../../common/turns/turn.ts';
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
