// The error for what another node of a cluster has.
import { ApiError } from './api-error.ts';

const MAX_FORWARDS = 3;

/** Finds a live node that has it, none of those that were tried. @returns null: there is none */
export type FindHolder = (tried: ReadonlySet<string>) => Promise<string | null> | string | null;

/** What a request names is on another node, which is to answer the request. As an error, it is that of something that does not exist. */
export class HeldElsewhere extends ApiError {
  readonly find: FindHolder;
  /** How many nodes may pass the request on, one after another: what a node has just lost is somewhere else, what an id names is not. */
  readonly maxForwards: number;

  /** @param holder  id of a live node, or what finds one */
  constructor(holder: string | FindHolder, { type, status, reason, ...rest }: ApiError) {
    super(type, status, reason, rest);
    this.maxForwards = typeof holder === 'string' ? 1 : MAX_FORWARDS;
    this.find = typeof holder === 'string' ? (tried) => (tried.has(holder) ? null : holder) : holder;
  }
}
