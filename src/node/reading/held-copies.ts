// The copies that a reader finds on its own node.
import type { IndexState } from '../../api/core/index-state.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { hasStartedCopy } from '../../metadata/copies.ts';
import { elsewhereError } from './copies-elsewhere.ts';
import type { CopyView } from './copy-view.ts';
import { noShardError } from './shard-errors.ts';

/** The copies of this node among those of the cluster. */
export class HeldCopies {
  readonly #view: CopyView;

  constructor(view: CopyView) {
    this.#view = view;
  }

  /** Whether this node has a copy of an index that may be searched. */
  has({ meta }: IndexState): boolean {
    return hasStartedCopy(this.#view.cluster(), meta.uuid, this.#view.nodeId);
  }

  /** As `EngineContext.requireTogether`. */
  requireTogether(indices: readonly IndexState[]): void {
    if (indices.some((index) => !this.has(index))) throw this.error(indices);
  }

  /** The error for a request that reads indices that this node does not all have. */
  error(indices: readonly IndexState[]): ApiError {
    const missing = indices.find((index) => !this.has(index)) ?? indices[0];
    const metas = indices.map(({ meta }) => meta);
    return elsewhereError(this.#view, metas, noShardError(missing, 0, ' with the other indices of the request, on a live node'));
  }
}
