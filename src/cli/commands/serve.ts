// `gannet serve` started by Node.
import { Supervisor } from '../supervisor.ts';

/** Runs until the service has exited for good. @param argv arguments of `gannet serve`. @returns the exit code */
export function serveCommand(argv: readonly string[]): Promise<number> {
  const supervisor = new Supervisor(argv);
  supervisor.forwardSignals();
  return supervisor.exited;
}
