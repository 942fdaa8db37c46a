// The error type of the service, and its form as plain data for other threads.
/** Members of an error body besides `type` and `reason`, for example `index`, `line`, `col`. */
export type ErrorDetails = Record<string, unknown>;

/** Details of a refusal, for the audit log. */
export interface Refusal {
  readonly action: string;
  /** Names of indices and aliases; empty for actions on the cluster. */
  readonly indices: readonly string[];
  /** The user that the caller wanted to act as. */
  readonly runAs?: string;
}

/** An error as plain data, which can be sent to another thread. */
export interface ApiErrorData {
  type: string;
  status: number;
  reason: string | null;
  details: ErrorDetails;
  causedBy: ApiErrorData | null;
  rootCauses: ApiErrorData[] | null;
  /** Response headers that go with the error, for example `Allow`, `WWW-Authenticate`. */
  headers: Record<string, string | string[]>;
  refusal?: Refusal;
  /** Of an unexpected error of another thread, for the log. */
  stack?: string;
}

/**
 * An error that is reported to the client. `type`, `reason`, `details` and `status` are those of Elasticsearch. catalog.ts has a factory for each
 * type, and error-body.ts renders it. Any other exception is a 500.
 */
export class ApiError extends Error {
  readonly type: string;
  readonly status: number;
  readonly reason: string | null;
  readonly details: ErrorDetails;
  readonly causedBy: ApiError | null;
  /** Root causes; null if the error itself is its root cause. search_phase_execution_exception lists the errors of the shards. */
  readonly rootCauses: ApiError[] | null;
  readonly headers: Record<string, string | string[]>;
  /** null unless the sender may not do what was requested. */
  readonly refusal: Refusal | null;

  constructor(
    type: string,
    status: number,
    reason: string | null,
    options: {
      details?: ErrorDetails;
      causedBy?: ApiError | null;
      rootCauses?: ApiError[] | null;
      headers?: Record<string, string | string[]>;
      refusal?: Refusal | null;
    } = {},
  ) {
    super(reason ?? type);
    this.name = 'ApiError';
    this.type = type;
    this.status = status;
    this.reason = reason;
    this.details = options.details ?? {};
    this.causedBy = options.causedBy ?? null;
    this.rootCauses = options.rootCauses ?? null;
    this.headers = options.headers ?? {};
    this.refusal = options.refusal ?? null;
  }

  /** A plain copy that survives structured clone and msgpack. */
  toData(): ApiErrorData {
    return {
      type: this.type,
      status: this.status,
      reason: this.reason,
      details: this.details,
      causedBy: this.causedBy?.toData() ?? null,
      rootCauses: this.rootCauses?.map((cause) => cause.toData()) ?? null,
      headers: this.headers,
      ...(this.refusal === null ? {} : { refusal: this.refusal }),
    };
  }

  static fromData(data: ApiErrorData): ApiError {
    const error = new ApiError(data.type, data.status, data.reason, {
      details: data.details,
      causedBy: data.causedBy ? ApiError.fromData(data.causedBy) : null,
      rootCauses: data.rootCauses?.map((cause) => ApiError.fromData(cause)) ?? null,
      headers: data.headers,
      refusal: data.refusal,
    });
    if (data.stack !== undefined) error.stack = data.stack;
    return error;
  }
}

/** Narrows a caught error to report it as a cause. @throws the error itself unless it is an ApiError: then it is a bug, not bad input */
export function asCause(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
