// The error for what another node of a cluster has.
import { ApiError } from './api-error.ts';

/** What a request names is on another node, which is to answer the request. As an error, it is that of something that does not exist. */
export class HeldElsewhere extends ApiError {
  /** Id of a live node. */
  readonly node: string;

  constructor(node: string, { type, status, reason, ...rest }: ApiError) {
    super(type, status, reason, rest);
    this.node = node;
  }
}
