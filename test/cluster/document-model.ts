// What a document does, as a model for the search for linearizations. Every write has a value of its own, so the value identifies the write.
import type { Step } from './linearizable.ts';

/** `result` is null if there was no answer, or one that says that the outcome is unknown. */
export type DocumentAction =
  | { readonly kind: 'index'; readonly value: string; readonly result: 'created' | 'updated' | null }
  | { readonly kind: 'create'; readonly value: string; readonly result: 'created' | 'conflict' | null }
  /** A write with if_seq_no and if_primary_term of the write of `expected`. */
  | { readonly kind: 'replace'; readonly expected: string; readonly value: string; readonly result: 'updated' | 'conflict' | null }
  | { readonly kind: 'delete'; readonly result: 'deleted' | 'not_found' | null }
  | { readonly kind: 'read'; readonly value: string | null };

/** The state is the value; null: there is no document. */
export const documentStep: Step<string | null, DocumentAction> = (state, action) => {
  switch (action.kind) {
    case 'read':
      return state === action.value ? state : undefined;
    case 'index':
      return action.result === null || (action.result === 'created') === (state === null) ? action.value : undefined;
    case 'create':
      return conditional(state, state === null, action.value, action.result);
    case 'replace':
      return conditional(state, state === action.expected, action.value, action.result);
    case 'delete':
      return action.result === null || (action.result === 'not_found') === (state === null) ? null : undefined;
  }
};

function conditional(state: string | null, isMet: boolean, value: string, result: string | null): string | null | undefined {
  if (result !== null && (result === 'conflict') === isMet) return undefined;
  return isMet ? value : state;
}

export type IndexAction =
  | { readonly kind: 'create'; readonly result: 'acknowledged' | 'exists' | null }
  | { readonly kind: 'delete'; readonly result: 'acknowledged' | 'missing' | null }
  | { readonly kind: 'read'; readonly exists: boolean };

/** The state is `there`; null: there is no index. */
export const indexStep: Step<'there' | null, IndexAction> = (state, action) => {
  if (action.kind === 'read') return action.exists === (state !== null) ? state : undefined;
  const { kind, result } = action;
  const refused = kind === 'create' ? 'exists' : 'missing';
  const isPossible = (kind === 'create') === (state === null);
  if (result !== null && (result === refused) === isPossible) return undefined;
  if (!isPossible) return state;
  return kind === 'create' ? 'there' : null;
};
