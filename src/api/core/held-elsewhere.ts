// Scrolls, points in time, async searches and tasks belong to the node of a cluster that started them, which their ids name.
import type { ApiError } from '../../errors/api-error.ts';
import { HeldElsewhere } from '../../errors/held-elsewhere.ts';
import type { EngineContext } from './context.ts';

/** The error for what this node does not have. @param node  that its id names */
export function notHereError(ctx: EngineContext, node: string, error: ApiError): ApiError {
  return node !== ctx.nodeId && ctx.nodes.some(({ id }) => id === node) ? new HeldElsewhere(node, error) : error;
}
