// An alias must not grant more than its index: a user who adds an index to an alias on which they have more privileges would gain those on
// the index.
import type { CommandArgs } from '../../api/core/context.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Permissions } from '../../security/permissions.ts';
import { CHANGE_ALIASES, SEARCH } from './action.ts';

type AliasAction = CommandArgs<'updateAliases'>['actions'][number];

/** @throws ApiError security_exception 403, 400 */
export function checkAliasPermissions(permissions: Permissions, actions: readonly AliasAction[]): void {
  for (const action of actions) {
    if (action.kind !== 'add') continue;
    for (const index of action.indices) {
      for (const alias of action.aliases) checkPair(permissions, index, alias);
    }
  }
}

function checkPair(permissions: Permissions, index: string, alias: string): void {
  if (permissions.isWider(alias, index))
    throw new ApiError(
      'security_exception',
      403,
      'Adding an alias is not allowed when the alias has more permissions than any of the indices',
      { refusal: { action: CHANGE_ALIASES, indices: [index, alias] } },
    );
  if (permissions.restrictionOf(SEARCH, [index]) !== null)
    throw new ApiError(
      'security_exception',
      400,
      'Alias requests are not allowed for users who have field or document level security enabled on one of the indices',
    );
}
