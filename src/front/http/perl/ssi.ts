// What server side includes need of the Perl module, which is loaded only if the configuration uses it.
import type { Request } from '../model/types.ts';

/** Starts a sub by its name for `<!--#perl sub="..." arg="..." -->`. @returns the subrequest that stands for its output */
export type PerlSsi = (r: Request, sub: string, args: readonly string[]) => Request | null;
