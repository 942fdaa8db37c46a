// Limits the source of scripts.
import { illegalArgumentError } from '../errors/catalog.ts';

/** `script.max_size_in_bytes`. */
const MAX_SOURCE_BYTES = 65_535;
const SHOWN_CHARS = 200;

/** @throws ApiError illegal_argument_exception: the source of a script is too long */
export function checkScriptSize(source: string): void {
  if (source.length <= MAX_SOURCE_BYTES / 3) return;
  const bytes = new TextEncoder().encode(source).length;
  if (bytes <= MAX_SOURCE_BYTES) return;
  throw illegalArgumentError(
    `exceeded max allowed inline script size in bytes [${MAX_SOURCE_BYTES}] with size [${bytes}] for script [${source.slice(0, SHOWN_CHARS)}...]`,
  );
}
