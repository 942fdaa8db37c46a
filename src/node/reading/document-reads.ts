// Documents that are read within a request.
import type { StoredDocument } from '../../api/core/context.ts';
import { canMove, inTurn, type Mobility } from '../../common/turns/turn.ts';

/** Runs a part of a request in the turn that is open, or else in a turn of its own. */
export function limited<T>(mobility: Mobility, run: () => T): T {
  return canMove() ? run() : inTurn(mobility, run);
}

/** Copies the source, because other reads may reuse its buffer before a promise is resolved. */
export function withCopiedSource(document: StoredDocument | null): StoredDocument | null {
  return document?.source ? { ...document, source: new Uint8Array(document.source) } : document;
}
