// `script_fields` of a search body.
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import { readBoolean } from '../../query/read-json.ts';
import { parseScript, type ScriptSpec } from '../../scripting/script-spec.ts';

export interface ScriptFieldRequest {
  readonly name: string;
  readonly script: ScriptSpec;
  readonly ignoreFailure: boolean;
}

/** @throws ApiError x_content_parse_exception, illegal_argument_exception */
export function readScriptFields(body: JsonObject): ScriptFieldRequest[] {
  return Object.entries(body).map(([name, options]) => {
    if (!isObject(options)) throw xContentParseError(`Expected [START_OBJECT] in [${name}] of [script_fields]`);
    for (const key of Object.keys(options))
      if (key !== 'script' && key !== 'ignore_failure') throw xContentParseError(`Unknown key for a VALUE in [${key}].`);
    if (options['script'] === undefined) throw illegalArgumentError(`[${name}] of [script_fields] requires a [script]`);
    const ignore = options['ignore_failure'];
    return { name, script: parseScript(options['script']), ignoreFailure: ignore !== undefined && readBoolean(ignore, 'ignore_failure') };
  });
}
