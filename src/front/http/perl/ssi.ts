// The interface of server side includes to the Perl module, which is loaded only if the configuration uses it.
import type { Request } from '../model/types.ts';

/** Starts a sub by its name for `<!--#perl sub="..." arg="..." -->`. @returns the subrequest that produces its output */
export type PerlSsi = (r: Request, sub: string, args: readonly string[]) => Request | null;
