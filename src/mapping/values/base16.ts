// Hexadecimal text as bytes.
import { illegalArgumentError } from '../../errors/catalog.ts';

/** @throws ApiError illegal_argument_exception: an odd number of digits, or another character */
export function parseBase16(text: string): Uint8Array {
  if (text.length % 2 !== 0) throw illegalArgumentError(`string length not even: ${text.length}`);
  const wrong = /[^0-9a-fA-F]/.exec(text);
  if (wrong) throw illegalArgumentError(`not a hexadecimal digit: "${wrong[0]}" = ${wrong[0].charCodeAt(0)}`);
  return Buffer.from(text, 'hex');
}
