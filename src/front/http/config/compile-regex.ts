// Regular expressions in directives.
import { Regex } from '../../config/regex.ts';
import type { BlockFrame } from './module.ts';

/** Compiles an expression and declares its named groups as variables. Fails the directive if it is malformed. */
export function compileRegex(f: BlockFrame, source: string, ignoreCase = false): Regex {
  try {
    const regex = new Regex(source, ignoreCase);
    for (const name of regex.names.keys()) f.scope.main.variables.declare(name);
    return regex;
  } catch (error) {
    if (typeof error === 'string') f.fail(error);
    f.fail(`pcre2_compile() failed: ${(error as Error).message}`);
  }
}
