// Kept separate because messages.ts, which throws it, loads a large library and is imported only where OCSP is configured.

/** A responder could not be queried, or its response is malformed or untrustworthy. */
export class OcspError extends Error {}
