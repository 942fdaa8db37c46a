import { jsonDouble } from '../../common/json/json-float.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { compileDocScript } from '../../scripting/doc-script.ts';
import type { Value } from '../../scripting/java/values.ts';
import { fromScript } from '../../scripting/update-script.ts';
import { runDocScript } from '../evaluate/script-doc.ts';
import type { ScriptFieldRequest } from '../request/script-field-request.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import type { ScriptField } from './fetch-target.ts';

/** @throws ApiError: a failure of the shard; there are too many fields, or a script does not compile */
export function compileScriptFields(wanted: readonly ScriptFieldRequest[], shard: SearchShard, context: RewriteContext): ScriptField[] {
  const limit = shard.limits.maxScriptFields;
  if (wanted.length > limit) {
    throw illegalArgumentError(
      `Trying to retrieve too many script_fields. Must be less than or equal to: [${limit}] but was [${wanted.length}]. This limit can be set by changing the [index.max_script_fields] index level setting.`,
    );
  }
  return wanted.map(({ name, script: spec, ignoreFailure }): ScriptField => {
    const script = compileDocScript(spec, { stored: context.storedScript, context: 'field' });
    return ({ segment, hit }, fields) => {
      let value: Value;
      try {
        value = runDocScript(script, context, segment, hit.docId);
      } catch (error) {
        if (ignoreFailure && error instanceof ApiError) return;
        throw error;
      }
      if (value === null) setOwn(fields, name, [null]);
      else setOwn(fields, name, shown(value));
    };
  });
}

/** The result of a script as the array that a hit contains. */
function shown(value: Value): unknown[] {
  const json = fromScript(value, jsonDouble);
  return Array.isArray(json) ? json : [json];
}
