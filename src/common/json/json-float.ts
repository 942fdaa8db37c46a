// Numbers of responses whose type is float or double. Java writes them with a fraction or an exponent (`1.0`, `1.0E10`), and clients with static
// or dynamic types read `1` as an integer instead.
import { shortestFloat } from '../text/float32.ts';
import { javaDouble } from '../text/java-text.ts';
import { RawJson } from './raw-json.ts';

/** A number that JavaScript would print otherwise than Java. */
export class JsonFloat extends RawJson {
  readonly value: number;

  constructor(value: number) {
    super(Number.isFinite(value) ? javaDouble(value) : `"${value}"`);
    this.value = value;
  }

  override toString(): string {
    return this.text;
  }
}

const ZERO = new JsonFloat(0);
const ONE = new JsonFloat(1);

/** A double for a response. Only numbers that would be printed otherwise become objects, so most scores and averages cost nothing. */
export function jsonDouble(value: number): number | JsonFloat;
export function jsonDouble(value: number | null): number | JsonFloat | null;
export function jsonDouble(value: number | null): number | JsonFloat | null {
  if (value === null) return null;
  if (!Number.isInteger(value)) {
    const size = Math.abs(value);
    return size >= 1e-3 && size < 1e7 ? value : new JsonFloat(value);
  }
  if (value === 1) return ONE;
  return Object.is(value, 0) ? ZERO : new JsonFloat(value);
}

/** A float32 for a response: the shortest decimal that identifies it. */
export function jsonFloat(value: number): number | JsonFloat {
  return jsonDouble(shortestFloat(value));
}
