// `gannet serve` when started by Node instead of a shell.
import { Supervisor } from '../supervisor.ts';

/** Resolves when the service has exited and is not restarted. @param argv arguments of `gannet serve`. @returns the exit code */
export function serveCommand(argv: readonly string[]): Promise<number> {
  const supervisor = new Supervisor(argv);
  supervisor.forwardSignals();
  return supervisor.exited;
}
