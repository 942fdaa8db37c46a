// Computes the result of an update: by a partial document, an upsert or a script.
import type { JsonObject } from '../common/json/json-value.ts';
import { writeJson } from '../common/json/json-write.ts';
import { hasJavaNumbers, isJsonObject, parseToWrite } from '../common/json/source-numbers.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../errors/catalog.ts';
import { runUpdateScript, type ScriptOutcome, type UpdateScript } from '../scripting/update-script.ts';
import type { ShardOperation } from './shard-operation.ts';
import { parseSource, parseUpdateSource } from './source.ts';
import { mergeDocument, parseUpdateBody, type UpdateBody } from './update.ts';
import type { ShardIdentity, WriterEnvironment } from './writer-environment.ts';

/** The current version of a document in the log. */
export interface StoredVersion {
  readonly source: Uint8Array;
  readonly routing: string | null;
  readonly version: number;
}

export type UpdateOutcome =
  | 'noop'
  | 'delete'
  | {
      json: JsonObject;
      routing: string | null;
      /** The document as text if its numbers are not those that `json` would be written with; null otherwise. */
      source: Uint8Array | null;
    };

const NO_BYTES = new Uint8Array(0);

/**
 * @param readCurrent  reads the current version, throws if it is not the expected one; null if the document does not exist
 * @throws ApiError document_missing_exception; illegal_argument_exception: the script failed; x_content_parse_exception
 */
export function updateDocument(
  operation: ShardOperation,
  readCurrent: (() => StoredVersion) | null,
  identity: ShardIdentity,
  env: Pick<WriterEnvironment, 'nowMs' | 'storedScript'>,
  hasSource: boolean,
): UpdateOutcome {
  const nowMs = env.nowMs();
  const bodyBytes = operation.source ?? NO_BYTES;
  const body = parseUpdateBody(parseUpdateSource(bodyBytes), operation.docAsUpsert, env.storedScript);
  if (operation.ifSeqNo !== null) checkNoUpsert(body);
  const run = (script: UpdateScript, source: JsonObject, routing: string | null, version: number | null): UpdateOutcome => {
    const document = { source, index: identity.index, id: operation.id, version, routing, nowMs };
    let outcome: ScriptOutcome;
    try {
      outcome = runUpdateScript(script, document, version === null ? 'create' : 'index');
    } catch (error) {
      if (error instanceof ApiError) throw illegalArgumentError('failed to execute script', error);
      throw error;
    }
    if (outcome.op === 'none') return 'noop';
    return outcome.op === 'delete' ? 'delete' : written(outcome.source, routing);
  };
  if (readCurrent === null) {
    const created = body.docAsUpsert ? body.doc : body.upsert;
    if (created === null) {
      throw new ApiError('document_missing_exception', 404, `[${operation.id}]: document missing`, {
        details: { index_uuid: identity.uuid, shard: String(identity.shard), index: identity.index },
      });
    }
    if (body.script === null || !body.scriptedUpsert) {
      const exact = parseExact(bodyBytes)?.[body.docAsUpsert ? 'doc' : 'upsert'];
      return { json: created, routing: operation.routing, source: exact === undefined ? null : Buffer.from(writeJson(exact)) };
    }
    const exact = parseExact(bodyBytes)?.[body.docAsUpsert ? 'doc' : 'upsert'] as JsonObject | undefined;
    return run(exactScript(body.script, bodyBytes), exact ?? created, operation.routing, null);
  }
  const { source, routing, version } = readCurrent();
  if (!hasSource) {
    throw new ApiError('document_source_missing_exception', 400, `[${operation.id}]: document source missing`, {
      details: { index_uuid: identity.uuid, shard: String(identity.shard), index: identity.index },
    });
  }
  const json = parseSource(source);
  const exact = parseExact(source);
  if (body.script !== null) return run(exactScript(body.script, bodyBytes), exact ?? json, routing, version);
  const exactBody = parseExact(bodyBytes);
  if (exact === null && exactBody === null)
    return mergeDocument(json, body.doc as JsonObject, body.detectNoop) || !body.detectNoop ? { json, routing, source: null } : 'noop';
  const merged = exact ?? json;
  if (!mergeDocument(merged, (exactBody?.doc ?? body.doc) as JsonObject, body.detectNoop) && body.detectNoop) return 'noop';
  return written(merged, routing);
}

/** The outcome for a document whose doubles are JsonFloat where JavaScript would print them otherwise. */
function written(json: JsonObject, routing: string | null): UpdateOutcome {
  const bytes = Buffer.from(writeJson(json));
  return { json: parseSource(bytes), routing, source: bytes };
}

/** The script with the doubles of its parameters. A stored script may be named as a string, which has none. */
function exactScript(script: UpdateScript, bodyBytes: Uint8Array): UpdateScript {
  const given = parseExact(bodyBytes)?.script;
  const params = isJsonObject(given) ? given.params : undefined;
  return isJsonObject(params) ? { ...script, params } : script;
}

/** The object with doubles that keep their type; null if it has none that would be written otherwise. */
function parseExact(bytes: Uint8Array): JsonObject | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return hasJavaNumbers(text) ? (parseToWrite(text) as JsonObject) : null;
}

/** @throws ApiError action_request_validation_exception: a conditional write must not create the document */
function checkNoUpsert({ docAsUpsert, upsert }: UpdateBody): void {
  const problems = [
    ...(docAsUpsert ? ['compare and write operations can not be used with upsert'] : []),
    ...(upsert === null ? [] : ["upsert requests don't support `if_seq_no` and `if_primary_term`"]),
  ];
  if (problems.length > 0) throw validationFailedError(problems);
}
