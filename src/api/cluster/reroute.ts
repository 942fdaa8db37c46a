// The commands of `_cluster/reroute`. Where every node already has every copy that it can have, each command is validated, and either rejected or
// explained as in Elasticsearch; none changes anything. Allocated copies are moved: reroute-copies.ts.
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { nearestNames } from '../../common/text/nearest-name.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, indexNotFoundError } from '../../errors/catalog.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { type CopiesChange, routingOf } from '../../metadata/copies.ts';
import { isSameRouting } from '../../metadata/copy-routing.ts';
import type { ClusterNode } from '../core/cluster-node.ts';
import type { EngineContext } from '../core/context.ts';
import { AllocatedCopies } from './allocated-copies.ts';
import { type RerouteDecision, rerouteCopies } from './reroute-copies.ts';
import { addressOf, nodeNamed, nodeRoles } from './this-node.ts';

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

type Decision = RerouteDecision;

/** What commands would do. */
export interface Reroute {
  readonly explanations: JsonObject[];
  /** Changes of allocated copies. */
  readonly changes: CopiesChange[];
}

/**
 * Decides what each command of the body does.
 * @param explain  false: a command that cannot be carried out is an error
 * @throws ApiError as Elasticsearch refuses the body or a command
 */
export function planReroute(ctx: EngineContext, body: JsonObject, explain: boolean): Reroute {
  const copies = ctx.cluster.copies === undefined ? null : new AllocatedCopies(ctx);
  const touched = new Map<string, IndexMeta>();
  const explanations = readCommands(body).map((command) => {
    const named = command.nodes.map((name) => {
      const node = nodeNamed(ctx, name);
      if (node === null) throw illegalArgumentError(`failed to resolve [${name}], no matching nodes`);
      return node;
    });
    const state = ctx.index(command.index);
    if (state === null) throw indexNotFoundError(command.index);
    const meta = command.shard < state.numberOfShards ? state.meta : null;
    const isAllocated = copies !== null && meta !== null && command.name !== 'allocate_stale_primary';
    if (isAllocated) touched.set(meta.uuid, meta);
    const decision = isAllocated ? rerouteCopies(copies, command, named, meta) : decide(ctx, command, named, meta);
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
  const changes = [...touched.values()].map((meta) => ({
    uuid: meta.uuid,
    before: routingOf(ctx.cluster, meta.uuid),
    after: copies?.routingOf(meta) ?? routingOf(ctx.cluster, meta.uuid),
  }));
  return { explanations, changes: changes.filter(({ before, after }) => !isSameRouting(before, after)) };
}

/** @param nodes  those that the command names @param meta  of the index; null if it has no such shard */
function decide(
  ctx: EngineContext,
  { name, index, shard, nodes: names, flag }: Command,
  nodes: readonly ClusterNode[],
  meta: IndexMeta | null,
): Decision {
  const no = (decider: string, explanation: string): Decision => ({ decider, decision: 'NO', explanation });
  if (name === 'cancel') return decideCancel(ctx, shard, nodes[0], meta, flag);
  if (name === 'allocate_stale_primary')
    throw illegalArgumentError(`No data for shard [${shard}] of index [${index}] found on node [${names[0]}]`);
  if (meta === null) throw illegalArgumentError(`[${name}] no shard [${shard}] in index [${index}]`);
  const target = nodes[nodes.length - 1];
  const kind = target.id === ctx.primaryNodeOf(meta) ? 'P' : 'R';
  if (name === 'allocate_empty_primary') return no(`${name} (allocation command)`, `primary [${index}][${shard}] is already assigned`);
  return no(
    'same_shard',
    `a copy of this shard is already allocated to this node [[${index}][${shard}], node[${target.id}], [${kind}], s[STARTED]]`,
  );
}

function decideCancel(ctx: EngineContext, shard: number, node: ClusterNode, meta: IndexMeta | null, allowsPrimary: boolean): Decision {
  const decide = (decision: Decision['decision'], explanation: string): Decision => ({
    decider: 'cancel_allocation_command',
    decision,
    explanation,
  });
  const text = nodeText(ctx, node);
  if (meta === null) return decide('NO', `can't cancel ${shard}, failed to find it on node ${text}`);
  if (ctx.nodes.length > 1)
    return decide('NO', `can't cancel ${shard} on node ${text}, every node of the cluster has a copy of every shard`);
  if (!allowsPrimary) return decide('NO', `can't cancel ${shard} on node ${text}, shard is primary and started`);
  return decide('YES', `shard ${shard} on node ${text} can be cancelled`);
}

function nodeText(ctx: EngineContext, node: ClusterNode): string {
  const { host, port } = addressOf(node);
  return `{${node.name}}{${node.id}}{${host}}{${host}:${port ?? 0}}{${nodeRoles(ctx).join(',')}}`;
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
