// The interface between a Perl interpreter and the thread that runs it (interpreter-thread.ts): the WebAssembly build, or a system perl.

/** A frame of frame.ts, as latin1 characters. */
export type Frame = string;

export interface EngineHost {
  /** Sends a query of a handler to the event loop, and waits for its answer or for a further call. */
  exchange(frame: Frame): Frame;
  /** Logs what a script wrote to standard output or error, or an attempt that failed. */
  log(level: 'warn' | 'error', text: string): void;
}

export interface PerlEngine {
  /** Runs `nginx::dispatch`. @throws Error the interpreter is gone */
  dispatch(frame: Frame): Promise<Frame>;
  /** process that must be killed to interrupt a script, null if the thread's end suffices */
  readonly pid: number | null;
}

export interface EngineOptions {
  /** `wasm`, or the path of a perl */
  engine: string;
  memoryBytes: number;
  env: Readonly<Record<string, string>>;
}
