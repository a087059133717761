export { foreignHost } from './called-host.ts';
export { type CookieOptions, parseCookies, setCookie, withCookie } from './cookies.ts';
export type { CorsPolicy } from './cors.ts';
export { type Endpoint, endpoint, type Method, MethodNotAllowed, plainEndpoint } from './endpoint.ts';
export { listenAt } from './listen.ts';
export { aliveAnswer } from './liveness.ts';
export type { Malformed, MalformedStatus } from './malformed.ts';
export { compileEndpoints } from './match.ts';
export {
  type Answer,
  BODY_LIMIT_BYTES,
  giveUpBytes,
  type HttpRequest,
  type PathParams,
} from './message.ts';
export { isForFrame, isFromOutside, NOT_IN_A_FRAME, whyForeignPost } from './navigation.ts';
export { createNodeDoor, type NodeDoor } from './node-door.ts';
export { escapeHtml, htmlDocument, renderPage } from './page.ts';
export { type Params, parseForm, parseJson, readBodyParams, readText, UnreadableParams } from './params.ts';
export { addressBlock, callerAddress, wideAddressBlock, widestAddressBlock } from './peer-address.ts';
export { isFromThisMachine, noticePeers, peerOfThisRequest, withPeer } from './peer-context.ts';
export {
  empty,
  html,
  json,
  jsonText,
  redirect,
  type ValidationError,
  validationError,
} from './respond.ts';
export { htmlSecurityHeaders, STRICT_TRANSPORT_SECURITY } from './security-headers.ts';
