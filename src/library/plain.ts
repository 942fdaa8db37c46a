// Results of operations as plain objects.
import { toPlain } from '../common/json/json-write.ts';

/** A copy of a response in which raw JSON, such as `_source`, is parsed. */
export function plain<T>(response: unknown): T {
  // The operations build JSON; its shape follows the request, and is known to the methods that call this.
  return toPlain(response) as T;
}
