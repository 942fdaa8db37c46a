// Functions of function_score, and how their values are combined.
import type { ScriptSpec } from '../../scripting/script-spec.ts';

export type Modifier = 'none' | 'log' | 'log1p' | 'log2p' | 'ln' | 'ln1p' | 'ln2p' | 'square' | 'sqrt' | 'reciprocal';

export type ScoreFunction =
  | { readonly kind: 'weight' }
  | {
      readonly kind: 'field';
      readonly field: string;
      readonly factor: number;
      readonly modifier: Modifier;
      readonly missing: number | null;
    }
  | {
      readonly kind: 'decay';
      readonly shape: 'gauss' | 'exp' | 'linear';
      readonly field: string;
      readonly origin: unknown;
      readonly scale: unknown;
      readonly offset: unknown;
      readonly decay: unknown;
      readonly mode: 'min' | 'max' | 'avg' | 'sum';
      /** A parameter that decay functions do not have; it is refused for each index. */
      readonly unsupported: string | null;
    }
  | { readonly kind: 'script'; readonly script: ScriptSpec }
  | { readonly kind: 'random'; readonly seed: number | null; readonly field: string | null };

export type ScoreMode = 'multiply' | 'sum' | 'avg' | 'first' | 'max' | 'min';
export type BoostMode = 'multiply' | 'replace' | 'sum' | 'avg' | 'max' | 'min';
