// Area A's addresses (specification 4.1 to 4.4): health, readiness, the broker's callback, the token exchange.
import {
  type Answer,
  type HttpRequest,
  json,
  type PathParams,
  parseForm,
  type ValidationError,
  validationError,
} from '#lib/http/index.ts';
import { isDraining } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { directory, isDatabaseReady } from '#lib/store/index.ts';
import { authenticateClient, readClientCredentials } from './client-authentication.ts';
import { InvalidRequest, UnsupportedGrantType } from './errors.ts';
import { readSingleParams } from './token/request.ts';

export const VERSION = '0.1.0';

/** Liveness: asks nothing of the database. */
export async function handleHealth(): Promise<Answer> {
  return json(200, { status: 'ok', version: VERSION });
}

/** Readiness: each check by name. */
export async function handleReady(): Promise<Answer> {
  const checks = { ...(await isDatabaseReady()), process: isDraining() ? 'stopping' : 'ok' };
  const ready = Object.values(checks).every((check) => check === 'ok');
  return json(ready ? 200 : 503, { status: ready ? 'ok' : 'unavailable', version: VERSION, checks });
}

const CODE_MAX = 4_096;
const STATE_MAX = 2_048;

/** The code in the path, the state in the query (specification 4.2). */
export async function handleBrokerCallback(request: HttpRequest, path: PathParams): Promise<Answer> {
  return received(path['code'] ?? '', request);
}

/** The broker's ordinary redirect: code, state or error in the query. */
export async function handleBrokerRedirect(request: HttpRequest): Promise<Answer> {
  const { values } = parseForm(request.query);
  const error = values.get('error');
  if (error !== undefined) {
    const description = values.get('error_description') ?? 'The broker refused to sign the person in.';
    return json(200, {
      status: 'failed',
      error: error.slice(0, 200),
      error_description: description.slice(0, 500),
    });
  }
  const code = values.get('code');
  if (code === undefined) {
    return validationError([{ loc: ['query', 'code'], msg: 'Field required', type: 'missing', input: null }]);
  }
  return received(code, request);
}

/** A code that is not on its way to one of our own sign-ins: handed back, nothing stored, nobody signed in. */
function received(code: string, request: HttpRequest): Answer {
  const { values, repeated } = parseForm(request.query);
  const state = values.get('state') ?? null;
  const errors = [...codeErrors(code), ...stateErrors(state, repeated.has('state'))];
  if (errors.length > 0) return validationError(errors);
  return json(200, { status: 'received', code, state, token_endpoint: `${settings().baseUrl}/auth/token` });
}

function codeErrors(code: string): ValidationError[] {
  const loc = ['path', 'code'];
  if (code.length > CODE_MAX) return [tooLong(loc, code, CODE_MAX)];
  if (/^[\x21-\x7e]+$/.test(code)) return [];
  return [
    {
      loc,
      msg: 'String should be visible ASCII characters',
      type: 'string_pattern_mismatch',
      input: code,
      ctx: { pattern: '^[\\x21-\\x7e]+$' },
    },
  ];
}

function stateErrors(state: string | null, repeated: boolean): ValidationError[] {
  const loc = ['query', 'state'];
  if (repeated) return [{ loc, msg: 'Input should be given once', type: 'string_type', input: state }];
  return state !== null && state.length > STATE_MAX ? [tooLong(loc, state, STATE_MAX)] : [];
}

function tooLong(loc: string[], input: string, max: number): ValidationError {
  return {
    loc,
    msg: `String should have at most ${max} characters`,
    type: 'string_too_long',
    input,
    ctx: { max_length: max },
  };
}

/** POST {base_url}/auth/token: the client is checked, then the grant; none is built yet. */
export async function handleExchange(request: HttpRequest): Promise<Answer> {
  const params = await readSingleParams(request);
  const credentials = readClientCredentials(request, params);
  if (!params.values.has('grant_type')) throw new InvalidRequest('grant_type is missing.');
  await authenticateClient(await directory(), credentials);
  throw new UnsupportedGrantType('This grant_type is not supported at this address.');
}
