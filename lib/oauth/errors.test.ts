import { expect, test } from 'vitest';
import * as errors from './errors.ts';

// class, `error` code and status of each error, by contract section 5 and its RFCs
const TABLE: [errors.OAuthError, string, number][] = [
  [new errors.InvalidRequest('x'), 'invalid_request', 400],
  [new errors.InvalidRequest('x', { status: 413 }), 'invalid_request', 413],
  [new errors.InvalidClient('x'), 'invalid_client', 401],
  [new errors.InvalidGrant('x'), 'invalid_grant', 400],
  [new errors.UnauthorizedClient('x'), 'unauthorized_client', 400],
  [new errors.UnsupportedGrantType('x'), 'unsupported_grant_type', 400],
  [new errors.UnsupportedResponseType('x'), 'unsupported_response_type', 400],
  [new errors.InvalidScope('x'), 'invalid_scope', 400],
  [new errors.AccessDenied('x'), 'access_denied', 400],
  [new errors.LoginRequired('x'), 'login_required', 400],
  [new errors.ConsentRequired('x'), 'consent_required', 400],
  [new errors.RequestNotSupported('x'), 'request_not_supported', 400],
  [new errors.InvalidRequestUri(), 'invalid_request_uri', 400],
  [new errors.RequestUriNotSupported('x'), 'request_uri_not_supported', 400],
  [new errors.RegistrationNotSupported('x'), 'registration_not_supported', 400],
  [new errors.InvalidToken('x'), 'invalid_token', 401],
  [new errors.InsufficientScope('x'), 'insufficient_scope', 403],
  [new errors.InvalidTarget('x'), 'invalid_target', 400],
  [new errors.SlowDown(7), 'slow_down', 429],
  [new errors.TemporarilyUnavailable(), 'temporarily_unavailable', 503],
  [new errors.ServerError('x'), 'server_error', 500],
];

for (const [error, code, status] of TABLE) {
  test(`${error.constructor.name} has the status ${status} and the error code ${code}`, () => {
    expect(error).toMatchObject({ code, status });
  });
}

test('UN-05: an error description contains only characters that RFC 6749 §5.2 allows', () => {
  const { message } = new errors.InvalidRequest('a "quote", a \\ and\r\nSet-Cookie: x=1\té');
  expect(message).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/);
});

test('an error response does not contain the internal cause', () => {
  const error = new errors.ServerError('Something went wrong.', { cause: new Error('select * from people') });
  expect(`${error.message}${JSON.stringify(error.headers)}`).not.toContain('people');
});

test('errors that require waiting contain a retry time', () => {
  expect(new errors.SlowDown(7).headers['retry-after']).toBe('7');
  expect(Number(new errors.TemporarilyUnavailable().headers['retry-after'])).toBeGreaterThan(0);
});
