// The error for indices that no node of a cluster has together.
import { HeldElsewhere } from './held-elsewhere.ts';

/** Caught by what can be put together from several nodes. As an error it refuses the request, unless a node with all indices is found in time. */
export class IndicesApart extends HeldElsewhere {}
