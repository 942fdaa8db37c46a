// Resolves a name that means one index, from which documents are read: an index, or an alias of one.
import { illegalArgumentError, indexNotFoundError } from '../../errors/catalog.ts';
import { resolveDateMathName } from '../../metadata/date-math-name.ts';
import { namesOfIndex } from '../../metadata/indices/data-streams.ts';
import type { EngineContext } from './context.ts';
import { membersOf } from './index-names.ts';
import type { IndexState } from './index-state.ts';

/** The request with the date math in the name of its index resolved. @throws ApiError parse_exception */
export function withPlainName<T extends { readonly index: string }>(request: T): T {
  const index = resolveDateMathName(request.index, Date.now());
  return index === request.index ? request : { ...request, index };
}

/** The index from which a document is read. @throws ApiError index_not_found_exception; illegal_argument_exception: an alias of several indices */
export function readIndex(ctx: EngineContext, name: string): IndexState {
  const concrete = ctx.index(name);
  if (concrete) return concrete;
  const members = aliasMembers(ctx, name);
  if (members.length > 1) {
    const names = members.map(({ index }) => index.meta.name).join(', ');
    throw illegalArgumentError(`alias [${name}] has more than one index associated with it [${names}], can't execute a single index op`);
  }
  if (members.length === 0) throw indexNotFoundError(name, ctx.dialect.missingReadResource);
  return members[0].index;
}

/** The routing of the request or, without one, of the alias. @throws ApiError illegal_argument_exception: both are set and differ */
export function routingThroughAlias(
  index: IndexState,
  name: string,
  routing: string | null,
  kind: 'index_routing' | 'search_routing',
): string | null {
  const alias = Object.hasOwn(index.meta.aliases, name) ? index.meta.aliases[name] : null;
  const own = alias?.[kind] ?? null;
  if (own === null || own === routing) return routing ?? own;
  if (routing === null) return own;
  throw illegalArgumentError(
    `Alias [${name}] has index routing associated with it [${own}], and was provided with routing value [${routing}], rejecting operation`,
  );
}

/** The indices behind an alias or data stream, and which of them is written to. */
export function aliasMembers(ctx: EngineContext, alias: string): Array<{ index: IndexState; write: boolean | undefined }> {
  return membersOf(ctx, alias).flatMap((meta) => {
    const index = ctx.index(meta.name);
    return index ? [{ index, write: namesOfIndex(ctx.cluster, meta)[alias].is_write_index }] : [];
  });
}
