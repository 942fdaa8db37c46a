// The commands of `_cluster/reroute`. This node already has every copy that it can have, so each command is validated, and either rejected
// or explained as in Elasticsearch; none changes anything.
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { nearestNames } from '../../common/text/nearest-name.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, indexNotFoundError } from '../../errors/catalog.ts';
import type { EngineContext } from '../core/context.ts';
import { addressOf, isThisNode, nodeRoles } from './this-node.ts';

interface CommandType {
  /** Parameters that name a node, all required. */
  readonly nodes: readonly string[];
  /** Its optional flag, or null. */
  readonly flag: string | null;
  /** Name in an error without `explain`. */
  readonly title: string;
}

const COMMANDS: Readonly<Record<string, CommandType>> = {
  allocate_empty_primary: { nodes: ['node'], flag: 'accept_data_loss', title: 'allocate_empty_primary' },
  allocate_replica: { nodes: ['node'], flag: null, title: 'allocate_replica' },
  allocate_stale_primary: { nodes: ['node'], flag: 'accept_data_loss', title: 'allocate_stale_primary' },
  cancel: { nodes: ['node'], flag: 'allow_primary', title: 'cancel_allocation' },
  move: { nodes: ['from_node', 'to_node'], flag: null, title: 'move_allocation' },
};

interface Command {
  readonly name: string;
  readonly type: CommandType;
  readonly index: string;
  readonly shard: number;
  readonly nodes: readonly string[];
  readonly flag: boolean;
}

interface Decision {
  readonly decider: string;
  readonly decision: 'YES' | 'NO';
  readonly explanation: string;
}

/**
 * Explains what each command of the body would do.
 * @param explain  false: a command that cannot be carried out is an error
 * @throws ApiError as Elasticsearch refuses the body or a command
 */
export function explainReroute(ctx: EngineContext, body: JsonObject, explain: boolean): JsonObject[] {
  return readCommands(body).map((command) => {
    for (const node of command.nodes)
      if (!isThisNode(ctx, [node])) throw illegalArgumentError(`failed to resolve [${node}], no matching nodes`);
    const state = ctx.index(command.index);
    if (state === null) throw indexNotFoundError(command.index);
    const decision = decide(ctx, command, command.shard < state.numberOfShards);
    if (decision.decision === 'NO' && !explain) throw illegalArgumentError(`[${command.type.title}] ${decision.explanation}`);
    const { name, type, index, shard, nodes, flag } = command;
    const parameters = {
      index,
      shard,
      ...Object.fromEntries(type.nodes.map((key, i) => [key, nodes[i]])),
      ...(type.flag === null ? {} : { [type.flag]: flag }),
    };
    return { command: name, parameters, decisions: [{ ...decision }] };
  });
}

function decide(ctx: EngineContext, { name, index, shard, nodes, flag }: Command, exists: boolean): Decision {
  const no = (decider: string, explanation: string): Decision => ({ decider, decision: 'NO', explanation });
  const node = nodeText(ctx);
  if (name === 'cancel') {
    if (!exists) return no('cancel_allocation_command', `can't cancel ${shard}, failed to find it on node ${node}`);
    if (!flag) return no('cancel_allocation_command', `can't cancel ${shard} on node ${node}, shard is primary and started`);
    return { decider: 'cancel_allocation_command', decision: 'YES', explanation: `shard ${shard} on node ${node} can be cancelled` };
  }
  if (name === 'allocate_stale_primary')
    throw illegalArgumentError(`No data for shard [${shard}] of index [${index}] found on node [${nodes[0]}]`);
  if (!exists) throw illegalArgumentError(`[${name}] no shard [${shard}] in index [${index}]`);
  if (name === 'allocate_empty_primary') return no(`${name} (allocation command)`, `primary [${index}][${shard}] is already assigned`);
  return no(
    'same_shard',
    `a copy of this shard is already allocated to this node [[${index}][${shard}], node[${ctx.nodeId}], [P], s[STARTED]]`,
  );
}

function nodeText(ctx: EngineContext): string {
  const { host, port } = addressOf(ctx);
  return `{${ctx.nodeName}}{${ctx.nodeId}}{${host}}{${host}:${port ?? 0}}{${nodeRoles(ctx).join(',')}}`;
}

function readCommands(body: JsonObject): Command[] {
  for (const key of Object.keys(body)) {
    if (key === 'commands' || key === 'dry_run') continue;
    const near = nearestNames(key, ['commands', 'dry_run']);
    const hint = near.length === 0 ? '' : ` did you mean [${near[0]}]?`;
    throw new ApiError('x_content_parse_exception', 400, `[cluster_reroute] unknown field [${key}]${hint}`);
  }
  const { commands = [] } = body;
  if (!Array.isArray(commands))
    throw rerouteError('parse_exception', 'expected either field name [commands], or start array, got [START_OBJECT] instead');
  return commands.map(readCommand);
}

function readCommand(entry: unknown): Command {
  const [name, ...more] = isObject(entry) ? Object.keys(entry) : [];
  if (!isObject(entry) || name === undefined || more.length > 0) throw rerouteError('parse_exception', 'allocation command is malformed');
  if (!Object.hasOwn(COMMANDS, name)) throw rerouteError('named_object_not_found_exception', `unknown field [${name}]`);
  const type = COMMANDS[name];
  const values = entry[name];
  if (!isObject(values)) throw rerouteError('parse_exception', `[${name}] command is malformed`);
  const required = ['index', 'shard', ...type.nodes];
  for (const key of Object.keys(values))
    if (!required.includes(key) && key !== type.flag)
      throw rerouteError('parse_exception', `[${name}] command does not support field [${key}]`);
  for (const key of required)
    if (values[key] === undefined) throw rerouteError('parse_exception', `[${name}] command missing the ${key} parameter`);
  const shard = Number(values['shard']);
  if (!Number.isInteger(shard)) throw rerouteError('illegal_argument_exception', `For input string: "${values['shard']}"`);
  return {
    name,
    type,
    index: String(values['index']),
    shard,
    nodes: type.nodes.map((key) => String(values[key])),
    flag: type.flag !== null && String(values[type.flag] ?? false) === 'true',
  };
}

function rerouteError(type: string, reason: string): ApiError {
  return new ApiError('x_content_parse_exception', 400, '[cluster_reroute] failed to parse field [commands]', {
    causedBy: new ApiError(type, 400, reason),
  });
}
