// The interface between the operations of a thread and the node that stores users, roles and API keys.
import type { SecurityArgs, SecurityCommandName, SecurityReply } from './commands.ts';
import type { SecurityView } from './records.ts';

/** How a thread reaches the users, roles and API keys of the node. */
export interface SecurityService {
  readonly records: SecurityView;
  /** Runs a command on the main thread. Resolves when it is stored and every thread acts upon it. @throws ApiError the errors of the command */
  run<Name extends SecurityCommandName>(name: Name, args: SecurityArgs<Name>): Promise<SecurityReply<Name>>;
}
