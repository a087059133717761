// Problems (RFC 9457): one shape for every error, with a type that programs can tell apart and a request id.
import { MethodNotAllowed } from '#lib/http/endpoint.ts';
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { UnreadableParams } from '#lib/http/params.ts';
import { json } from '#lib/http/respond.ts';
import { log } from '#lib/kit/log.ts';
import { UnstorableValue } from '#lib/kit/text/storable.ts';
import { snake } from '#lib/kit/wire.ts';
import { managementUrl } from '#lib/management/core/built-in.ts';
import type { RefusedKind } from '#lib/management/core/refusals/kinds.ts';
import { Refused } from '#lib/management/core/refused.ts';
import { KeyNotProved, SignInTooWeak } from '#lib/management/core/token-actor.ts';
import { acrOfLevel } from '#lib/registry/fields/acr.ts';
import { resourceMetadataAddress } from '#lib/registry/fields/well-known.ts';
import { RECENT_SECONDS } from '#lib/sessions/proved-sign-in.ts';
import { DatabaseUnavailable } from '#lib/store/database/pool.ts';

const KINDS: Record<RefusedKind, [status: number, title: string]> = {
  invalid: [422, 'What was asked makes no sense'],
  forbidden: [403, 'You may not do this'],
  'not-found': [404, 'There is no such thing'],
  conflict: [409, 'Its state does not allow this'],
  stale: [412, 'It was changed meanwhile'],
  reauthenticate: [401, 'This takes a sign-in of the last 15 minutes'],
  'slow-down': [429, 'Too many attempts'],
};

type Problem = {
  kind: string;
  status: number;
  title: string;
  /** what exactly was refused; the kind where the API itself found it */
  code?: string;
  detail?: string;
  errors?: { field: string; code: string; detail: string }[];
  headers?: Record<string, string>;
};

/** A problem that the API itself finds, before any operation. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.title);
    this.problem = problem;
  }
}

/** With the address of this API's metadata (RFC 9728 §5.1). */
const managementParameters = () =>
  `realm="Gatehouse management", resource_metadata="${resourceMetadataAddress(managementUrl())}"`;
export const bearerChallenge = () => `Bearer ${managementParameters()}`;

export function problemAnswer(thrown: unknown, request: HttpRequest): Answer {
  const { kind, code = kind, status, title, detail, errors, headers } = problemOf(thrown, request);
  const body = {
    type: `urn:gatehouse:problem:${kind}`,
    title,
    status,
    code,
    ...(detail === undefined ? {} : { detail }),
    ...(errors === undefined || errors.length === 0 ? {} : { errors }),
    request_id: request.requestId,
  };
  return json(status, body, { ...headers, 'content-type': 'application/problem+json' });
}

function problemOf(thrown: unknown, request: HttpRequest): Problem {
  if (thrown instanceof ApiProblem) return thrown.problem;
  if (thrown instanceof Refused) return refusal(thrown);
  if (thrown instanceof SignInTooWeak) return stepUp();
  if (thrown instanceof KeyNotProved) return keyNotProved(thrown);
  if (thrown instanceof MethodNotAllowed) {
    const { headers } = thrown;
    return { kind: 'method', status: 405, title: 'This address does not take this method', headers };
  }
  if (thrown instanceof UnreadableParams) {
    const { status, message: detail } = thrown;
    return { kind: 'unreadable', status, title: 'The request can not be read', detail };
  }
  if (thrown instanceof UnstorableValue) return unstorable(thrown);
  const facts = { request_id: request.requestId, err: thrown, path: request.path };
  log().error(facts, 'a request to the management API failed');
  if (thrown instanceof DatabaseUnavailable) {
    const headers = { 'retry-after': '2' };
    return { kind: 'unavailable', status: 503, title: 'The service is not available right now', headers };
  }
  return { kind: 'server-error', status: 500, title: 'Something went wrong on our side' };
}

/** RFC 9449 §7.1, §9. */
function keyNotProved({ challenge }: KeyNotProved): Problem {
  const { error, nonce, algs } = challenge;
  return {
    kind: 'unauthenticated',
    status: 401,
    title: 'The key of this token is to be proved',
    detail: 'It is bound to a key: send it by the scheme DPoP, with a proof of that key for this request.',
    headers: {
      'www-authenticate': `DPoP ${managementParameters()}, algs="${algs}", error="${error}"`,
      ...(nonce === null ? {} : { 'dpop-nonce': nonce }),
    },
  };
}

/** RFC 9470 §3: the client asks the person for it at the authorize address. */
function stepUp(): Problem {
  const error = `error="insufficient_user_authentication", acr_values="${acrOfLevel(2)}"`;
  return {
    kind: 'second-factor',
    status: 401,
    title: 'This takes a sign-in with a second factor',
    detail: 'People with your role need one here. Ask for a token with these acr_values.',
    headers: { 'www-authenticate': `${bearerChallenge()}, ${error}` },
  };
}

/** The field is named where a door found it; what only the database found is nowhere in particular. */
function unstorable({ path, message: detail }: UnstorableValue): Problem {
  const title = 'What was sent can not be stored';
  if (path === null) return { kind: 'unreadable', status: 400, title };
  return {
    kind: 'invalid',
    status: 422,
    title,
    errors: [{ field: path.join('.'), code: 'input.unstorable', detail }],
  };
}

function refusal(refused: Refused): Problem {
  const [status, title] = KINDS[refused.kind];
  const errors = refused.faults.map(({ field, code, message: detail }) => ({
    field: snake(field),
    code,
    detail,
  }));
  const { kind, code } = refused;
  const problem: Problem = { kind, code, status, title, detail: refused.message, errors };
  if (refused.kind === 'reauthenticate') {
    // RFC 9470 §3
    const error = `error="insufficient_user_authentication", max_age="${RECENT_SECONDS}"`;
    return { ...problem, headers: { 'www-authenticate': `${bearerChallenge()}, ${error}` } };
  }
  if (refused.retryAfterSeconds !== null) {
    return { ...problem, headers: { 'retry-after': String(refused.retryAfterSeconds) } };
  }
  return problem;
}
