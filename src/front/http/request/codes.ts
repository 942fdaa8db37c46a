// Return codes of phase handlers and filters, as in nginx: negative values control the engine, values from 100 up are HTTP statuses.
export const OK = 0;
export const ERROR = -1;
/** the handler will call back (`runPhases` or `finalizeRequest`) */
export const AGAIN = -2;
/** the request was taken over or finalized already */
export const DONE = -4;
/** not handled: try the next handler */
export const DECLINED = -5;
/** a header filter holds the response back, and continues it later (`continueHeader`) */
export const HELD = -6;

/** The client was too slow: the connection is closed without a response. */
export const REQUEST_TIMEOUT = 408;
/** Close the connection without a response (`return 444`). */
export const HTTP_CLOSE = 444;
export const HTTP_REQUEST_HEADER_TOO_LARGE = 494;
export const HTTPS_CERT_ERROR = 495;
export const HTTPS_NO_CERT = 496;
export const HTTP_TO_HTTPS = 497;
export const HTTP_CLIENT_CLOSED = 499;
