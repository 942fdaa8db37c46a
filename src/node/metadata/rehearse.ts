// Large metadata commands are tried where they come from before main runs them: main has a listener and runs commands one after another, so a
// definition that is refused after long work must not be worked on there. A reader can leave the work to a lane (src/common/turns/turn.ts).
import { randomUUID } from 'node:crypto';
import type { CommandArgs, CommandName } from '../../api/core/context.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import { runReducer } from '../../metadata/reducers.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import { buildMapping } from './build-index.ts';
import { dialectOfNode } from './node-dialect.ts';

/** Commands with fewer values and characters take about a millisecond. */
const SMALL_NODES = 1000;
const CHARS_PER_NODE = 32;

/** @throws ApiError the error that main would answer with; TooHeavy */
export function rehearse<Name extends CommandName>(name: Name, state: ClusterState, args: CommandArgs<Name>, options: NodeOptions): void {
  if (isSmall(args)) return;
  runReducer(name, state, args, {
    nowMs: Date.now(),
    dialect: dialectOfNode(options),
    newUuid: randomUUID,
    buildMapping: (mappings, settings, isNew = true, synonymSets = state.synonymSets) =>
      buildMapping(mappings, settings, options, isNew, synonymSets),
  });
}

function isSmall(args: unknown): boolean {
  let nodes = SMALL_NODES;
  const visit = (value: unknown): void => {
    nodes--;
    if (typeof value === 'string') nodes -= value.length / CHARS_PER_NODE;
    if (typeof value !== 'object' || value === null) return;
    for (const key in value) {
      if (nodes < 0) return;
      visit((value as Record<string, unknown>)[key]);
    }
  };
  visit(args);
  return nodes >= 0;
}
